//! Starts of random streams, as `dpbandits.core.streams.streams` has them.

const std = @import("std");

fn mix(word: u64) u64 {
    var x = word;
    x = (x ^ (x >> 30)) *% 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) *% 0x94D049BB133111EB;
    return x ^ (x >> 31);
}

/// Fill the states of runs `first`, `first` + 1, ... from a text: root seed, a zero byte, and the job's identity.
export fn start_streams(text: [*]const u8, length: usize, first: u64, runs: usize, states: [*]u64) void {
    var digest: [32]u8 = undefined;
    std.crypto.hash.blake2.Blake2b256.hash(text[0..length], &digest, .{});
    for (0..runs) |run| {
        for (0..4) |i| {
            const word = std.mem.readInt(u64, digest[8 * i ..][0..8], .little);
            states[4 * run + i] = mix(word +% 0x9E3779B97F4A7C15 *% (4 * (first +% run) +% i +% 1));
        }
    }
}
