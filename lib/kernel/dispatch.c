/* Selects the kernels. The table is chosen once at start and is the library's only mutable global. */
#include "erode.h"
#include "kernel.h"

#include <stdatomic.h>
#include <string.h>

/* The kernels of one instruction set. */
struct table {
    const struct kernels *noise;
    const struct erode_kernels *erosion;
};

#define TABLE(isa) static const struct table isa = {&kernels_##isa, &erode_kernels_##isa}

#if defined(__wasm_simd128__) /* a module with vectors runs only where they exist: no other kernels */
TABLE(simd128);
#define LAST simd128
#else
TABLE(scalar);
#define LAST scalar
#endif
#if defined(__x86_64__)
TABLE(sse2);
TABLE(avx2);
TABLE(avx512);
#elif defined(__aarch64__)
TABLE(neon);
#endif

static _Atomic(const struct table *) current = &LAST;

const struct kernels *kernels_current(void)
{
    return atomic_load_explicit(&current, memory_order_relaxed)->noise;
}

const struct erode_kernels *erode_kernels_current(void)
{
    return atomic_load_explicit(&current, memory_order_relaxed)->erosion;
}

/*
 * Built-in tables, fastest first. __builtin_cpu_supports asks CPUID and XGETBV: an instruction set counts
 * only when the operating system saves its registers, too.
 */
static const struct table *usable(int k)
{
    const struct table *found[5];
    int n = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        found[n++] = &avx512;
    if (__builtin_cpu_supports("avx2"))
        found[n++] = &avx2;
    found[n++] = &sse2;
#elif defined(__aarch64__)
    found[n++] = &neon;
#endif
    found[n++] = &LAST;
    return k >= 0 && k < n ? found[k] : NULL;
}

/* Round to nearest, ties to even, and no flushing of subnormals; volatile, so that the machine answers. */
static int float_is_ieee(void)
{
    const volatile float one = 1.0f, half_ulp = 0x1p-24f, more = 0x1.000002p-24f, min = 0x1p-126f;
    const volatile float tie = one + half_ulp, up = one + more, down = -one - more;
    const volatile float subnormal = min * 0.5f, back = subnormal * 2.0f;
    return tie == 1.0f && up == 0x1.000002p0f && down == -0x1.000002p0f && back == min;
}

int terrane_init(const char *isa)
{
    if (!float_is_ieee())
        return TERRANE_EFLOAT;
    const struct table *table;
    for (int k = 0; (table = usable(k)) != NULL; k++)
        if (!isa || strcmp(isa, table->noise->name) == 0) {
            atomic_store_explicit(&current, table, memory_order_relaxed);
            return 0;
        }
    return TERRANE_EISA;
}

const char *terrane_isa(void)
{
    return kernels_current()->name;
}

const char *terrane_isa_usable(int k)
{
    const struct table *table = usable(k);
    return table ? table->noise->name : NULL;
}
