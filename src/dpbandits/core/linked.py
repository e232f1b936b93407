"""Functions that kernels call: LLVM code to be inlined, and no machine code of their own.

numba gives every function machine code, and a form for callers in Python. Of the 16 s that the kernels of an audit
took to compile, 9 went into that for functions that only kernels call.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult


def _entry() -> Any:
    """Return a function that refuses every call; numba tells compiled forms apart by a builtin function of each."""
    return {}.popitem


class Library(JITCodeLibrary):
    """LLVM code of one function and of those that it calls, which numba puts into the kernels that call it.

    Attributes
    ----------
    inlined
        Whether callers inline the function; else they call it.
    """

    inlined = False

    def _optimize_final_module(self) -> None:
        if not self.inlined:
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage == llvm.Linkage.external:
                    function.add_function_attribute("noinline")
        # numba's own first pass. Its second is for kernels, which have all functions in them.
        codegen: Any = self._codegen
        passes, builder = codegen._module_pass_manager(
            loop_vectorize=False, slp_vectorize=False, opt=0, cost="cheap"
        )
        # Each function brings its tables.
        passes.add_constant_merge_pass()
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._finalized = True

    def serialize_using_object_code(self) -> Any:
        """Return the code as numba's cache keeps it: LLVM's bitcode, because there is no object code."""
        return self.serialize_using_bitcode()  # type: ignore[no-untyped-call]

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> Library:
        name, _, bitcode = state
        library = cls(codegen, name)
        library._final_module = llvm.parse_bitcode(bitcode)
        library._finalize_final_module()
        return library


class ForKernels(Compiler):
    """numba's compiler, stopped before machine code: only kernels can call the functions that it compiles."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a function of Python to LLVM code; numba calls this method.

        Returns
        -------
        CompileResult
            numba's result, with an entry point that refuses every call.
        """
        state = self.state
        state.library = Library(state.targetctx.codegen(), func.__qualname__)  # type: ignore[no-untyped-call]
        state.library.inlined = state.flags.forceinline
        state.flags.no_cpython_wrapper = state.flags.no_compile = True
        made = super().compile_extra(func)  # type: ignore[no-untyped-call]
        made = made._replace(entry_point=_entry())
        state.targetctx.insert_user_function(made.entry_point, made.fndesc, [made.library])
        return made


class _Results(CompileResultCacheImpl):
    def rebuild(self, target_context: Any, payload: Any) -> Any:
        result: Any = CompileResult
        library, fndesc, environment, signature, objectmode, lifted, annotation, reload_init, referenced = payload
        return result(
            target_context=target_context,
            typing_context=target_context.typing_context,
            library=Library._unserialize(target_context.codegen(), library),
            environment=environment,
            entry_point=_entry(),
            fndesc=fndesc,
            type_annotation=annotation,
            signature=signature,
            objectmode=objectmode,
            lifted=lifted,
            typing_error=None,
            call_helper=None,
            metadata=None,
            reload_init=reload_init,
            referenced_envs=referenced,
        )


class Cache(FunctionCache):
    """numba's cache on disk of a function's compiled forms, with `Library` in place of machine code."""

    _impl_class = _Results
