//! Runtime of numba's code: memory that grows and is given back, counted arrays, and digests.

const std = @import("std");

// Memory: blocks of powers of two, kept by size when they are given back.

const PAGE = 65536;
const SMALLEST = 5;
var top: usize = 0;
var given_back = [_]usize{0} ** 64;

extern var __heap_base: u8;

fn size_class(bytes: usize) usize {
    return @max(SMALLEST, 64 - @clz(@max(bytes, 1) - 1));
}

/// Return the address of so many bytes, 0 if the browser has no more. What was there before is still in it.
export fn take(bytes: usize) usize {
    const class = size_class(bytes);
    if (given_back[class] != 0) {
        const found = given_back[class];
        given_back[class] = @as(*usize, @ptrFromInt(found)).*;
        return found;
    }
    if (top == 0) top = (@intFromPtr(&__heap_base) + 63) & ~@as(usize, 63);
    const found = top;
    const end = top + (@as(usize, 1) << @intCast(class));
    const there = @wasmMemorySize(0) * PAGE;
    if (end > there and @wasmMemoryGrow(0, (end - there + PAGE - 1) / PAGE + 16) < 0) return 0;
    top = end;
    return found;
}

/// Give back what `take` returned for so many bytes.
export fn give(address: usize, bytes: usize) void {
    const class = size_class(bytes);
    @as(*usize, @ptrFromInt(address)).* = given_back[class];
    given_back[class] = address;
}

// Arrays, as numba counts them.

const MemInfo = extern struct { count: usize, destroy: usize, about: usize, data: usize, size: usize, external: usize };
const HEAD = 64;

export fn NRT_MemInfo_alloc_aligned(size: usize, alignment: u32) ?*MemInfo {
    if (alignment > HEAD) @trap();
    const address = take(HEAD + size);
    if (address == 0) return null;
    const made: *MemInfo = @ptrFromInt(address);
    made.* = .{ .count = 1, .destroy = 0, .about = 0, .data = address + HEAD, .size = size, .external = 0 };
    return made;
}

export fn NRT_MemInfo_alloc(size: usize) ?*MemInfo {
    return NRT_MemInfo_alloc_aligned(size, 16);
}

// Lists keep their elements apart from what counts them, and may have to let go of these one by one.

const Destroy = *const fn (data: usize, size: usize, about: usize) callconv(.C) void;
const LIST = 1;

export fn NRT_MemInfo_new_varsize(size: usize) ?*MemInfo {
    const address = take(@sizeOf(MemInfo));
    const data = NRT_Allocate(size);
    if (address == 0 or data == 0) return null;
    const made: *MemInfo = @ptrFromInt(address);
    made.* = .{ .count = 1, .destroy = LIST, .about = 0, .data = data, .size = size, .external = 0 };
    return made;
}

export fn NRT_MemInfo_new_varsize_dtor(size: usize, destroy: usize) ?*MemInfo {
    const made = NRT_MemInfo_new_varsize(size) orelse return null;
    made.about = destroy;
    return made;
}

export fn NRT_MemInfo_varsize_realloc(made: *MemInfo, size: usize) usize {
    const data = NRT_Allocate(size);
    if (data == 0) return 0;
    const kept = @min(size, made.size);
    @memcpy(@as([*]u8, @ptrFromInt(data))[0..kept], @as([*]u8, @ptrFromInt(made.data))[0..kept]);
    NRT_Free(made.data);
    made.data = data;
    made.size = size;
    return data;
}

export fn NRT_MemInfo_call_dtor(made: *MemInfo) void {
    if (made.destroy == LIST) {
        if (made.about != 0) @as(Destroy, @ptrFromInt(made.about))(made.data, made.size, 0);
        if (made.data != 0) NRT_Free(made.data);
        give(@intFromPtr(made), @sizeOf(MemInfo));
    } else {
        give(@intFromPtr(made), HEAD + made.size);
    }
}

export fn NRT_Allocate(size: usize) usize {
    const address = take(HEAD + size);
    if (address == 0) return 0;
    @as(*usize, @ptrFromInt(address)).* = size;
    return address + HEAD;
}

export fn NRT_Free(address: usize) void {
    if (address == 0) return;
    const block = address - HEAD;
    give(block, HEAD + @as(*usize, @ptrFromInt(block)).*);
}

/// x86's subtraction with a condition: 4 is "equal to zero".
export fn x86_sub_cc(place: *i64, by: i64, condition: i32) i8 {
    if (condition != 4) @trap();
    place.* -%= by;
    return @intFromBool(place.* == 0);
}

/// Give an array's lengths and steps, in elements of `item` bytes, another shape: all arrays are contiguous.
export fn numba_attempt_nocopy_reshape(_: i64, _: [*]i64, _: [*]i64, dimensions: i64, lengths: [*]i64, steps: [*]i64, item: i64, _: i32) i32 {
    var step = item;
    var at: usize = @intCast(dimensions);
    while (at > 0) {
        at -= 1;
        steps[at] = step;
        step *= lengths[at];
    }
    return 1;
}

/// Multiply numbers of 128 bits, in halves.
export fn __multi3(product: *[2]u64, a_low: u64, a_high: u64, b_low: u64, b_high: u64) void {
    const half = 0xFFFFFFFF;
    const low = (a_low & half) * (b_low & half);
    const one = (a_low >> 32) * (b_low & half) + (low >> 32);
    const other = (a_low & half) * (b_low >> 32) + (one & half);
    product[0] = (other << 32) | (low & half);
    product[1] = (a_low >> 32) * (b_low >> 32) + (one >> 32) + (other >> 32) +% a_low *% b_high +% a_high *% b_low;
}

// What musl's functions call.

export fn fabs(x: f64) f64 {
    return @abs(x);
}

export fn floor(x: f64) f64 {
    return @floor(x);
}

/// Write the SHA-256 of so many bytes.
export fn sha256(content: [*]const u8, length: usize, digest: *[32]u8) void {
    std.crypto.hash.sha2.Sha256.hash(content[0..length], digest, .{});
}
