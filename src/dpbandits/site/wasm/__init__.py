"""The kernels as WebAssembly, for the page *Try*: numba's and LLVM's insides are known in `emit` alone."""
