// SPDX-License-Identifier: Apache-2.0
// The text of wgmma.mma_async: TESSERA_WGMMA_TRANSPOSING and TESSERA_WGMMA_ALONG_K make detail::Wgmma of types and a width.
// Taken back by instructions_end.h: no guard, each use includes both.
#include "tessera/ptx_wgmma.h"
#include "tessera/wgmma/registers.h"

// clang-format off

// The text of a product up to its operands; of one; of two with A in registers; and of four, one behind the other. `adds` is the place of a word,
// `factors` what stands behind it: signs and directions. Of four, `a` and `b` are the places of the first's descriptors, and
// the next begins `step_a`, `step_b` times 16 bytes behind the one before.
#define TESSERA_WGMMA_HEAD(columns, types, sums) \
  "wgmma.mma_async.sync.aligned.m64n" #columns types " {" TESSERA_WGMMA_PLACES_##sums "}, "
#define TESSERA_WGMMA_ONE(head, operands, adds, factors)   \
  "{ .reg .pred add; setp.ne.b32 add, " adds ", 0;\n"      \
  head operands ", add" factors "; }"
#define TESSERA_WGMMA_TWO(head, a, other_a, b, adds, step_b, factors) \
  "{ .reg .pred add; setp.ne.b32 add, " adds ", 0;\n"                \
  ".reg .b32 low_b, high_b; .reg .b64 next_b;\n"                     \
  "mov.b64 {low_b, high_b}, " b ";\n"                                \
  head a ", " b ", add" factors ";\n"                                \
  "add.u32 low_b, low_b, " step_b ";\n"                              \
  "mov.b64 next_b, {low_b, high_b};\n"                               \
  head other_a ", next_b, 1" factors ";\n}"
#define TESSERA_WGMMA_FOUR(head, a, b, adds, step_a, step_b, factors)   \
  "{ .reg .pred add; setp.ne.b32 add, " adds ", 0;\n"                   \
  ".reg .b32 low_a, high_a, low_b, high_b; .reg .b64 next_a, next_b;\n" \
  "mov.b64 {low_a, high_a}, " a ";\n"                                   \
  "mov.b64 {low_b, high_b}, " b ";\n"                                   \
  head a ", " b ", add" factors ";\n"                                   \
  TESSERA_WGMMA_NEXT(head, step_a, step_b, factors)                     \
  TESSERA_WGMMA_NEXT(head, step_a, step_b, factors)                     \
  TESSERA_WGMMA_NEXT(head, step_a, step_b, factors) "}"
#define TESSERA_WGMMA_NEXT(head, step_a, step_b, factors)               \
  "add.u32 low_a, low_a, " step_a ";\n"                                 \
  "add.u32 low_b, low_b, " step_b ";\n"                                 \
  "mov.b64 next_a, {low_a, high_a};\n"                                  \
  "mov.b64 next_b, {low_b, high_b};\n"                                  \
  head "next_a, next_b, 1" factors ";\n"

// clang-format on

// The signs of both operands as factors, of which that of A is at a place; integers have none.
#define TESSERA_WGMMA_SIGNS(sign_a) ", " sign_a ", 1"
#define TESSERA_WGMMA_NO_SIGNS(sign_a) ""

// Of 16-bit elements, whose lines may run either way.
#define TESSERA_WGMMA_TRANSPOSING(T, types, columns, sums, p0, p1, p2, p3, p4, p5, p6, p7, ...)            \
  template <>                                                                                              \
  struct Wgmma<T, T, columns> {                                                                            \
    template <int kScaleA, int kTransposeA, int kTransposeB>                                               \
    static TESSERA_DEVICE void multiply(float (&d)[sums], MatrixDescriptor a, MatrixDescriptor b,          \
                                        bool adds) {                                                       \
      TESSERA_ASM_90A(TESSERA_WGMMA_ONE(TESSERA_WGMMA_HEAD(columns, types, sums), p0 ", " p1, p2,          \
                                        TESSERA_WGMMA_SIGNS(p5) ", " p3 ", " p4)                           \
                      : TESSERA_WGMMA_SUMS_##sums("+f")                                                    \
                      : "l"(a.bits), "l"(b.bits), "r"(static_cast<int>(adds)), "n"(kTransposeA),           \
                        "n"(kTransposeB), "n"(kScaleA));                                                   \
    }                                                                                                      \
    template <int kScaleA, int kTransposeA, int kTransposeB, int kStepA, int kStepB>                       \
    static TESSERA_DEVICE void multiply_four(float (&d)[sums], MatrixDescriptor a, MatrixDescriptor b,     \
                                             bool adds) {                                                  \
      TESSERA_ASM_90A(TESSERA_WGMMA_FOUR(TESSERA_WGMMA_HEAD(columns, types, sums), p0, p1, p2, p5, p6,     \
                                         TESSERA_WGMMA_SIGNS(p7) ", " p3 ", " p4)                          \
                      : TESSERA_WGMMA_SUMS_##sums("+f")                                                    \
                      : "l"(a.bits), "l"(b.bits), "r"(static_cast<int>(adds)), "n"(kTransposeA),           \
                        "n"(kTransposeB), "n"(kStepA), "n"(kStepB), "n"(kScaleA));                         \
    }                                                                                                      \
    template <int kScaleA, int kTransposeB>                                                                \
    static TESSERA_DEVICE void multiply(float (&d)[sums], const std::uint32_t (&a)[4], MatrixDescriptor b, \
                                        bool adds) {                                                       \
      TESSERA_ASM_90A(                                                                                     \
          TESSERA_WGMMA_ONE(TESSERA_WGMMA_HEAD(columns, types, sums),                                      \
                            "{" p0 ", " p1 ", " p2 ", " p3 "}, " p4, p5, TESSERA_WGMMA_SIGNS(p7) ", " p6)  \
          : TESSERA_WGMMA_SUMS_##sums("+f")                                                                \
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b.bits), "r"(static_cast<int>(adds)),          \
            "n"(kTransposeB), "n"(kScaleA));                                                               \
    }                                                                                                      \
  };

// Of all others, whose lines run along K. `signs`: one of the two above.
#define TESSERA_WGMMA_ALONG_K(A, B, Sum, constraint, types, signs, columns, sums, p0, p1, p2, p3, p4, p5,    \
                              p6, p7, p8, p9, p10, p11)                                                      \
  template <>                                                                                                \
  struct Wgmma<A, B, columns> {                                                                              \
    template <int kScaleA>                                                                                   \
    static TESSERA_DEVICE void multiply(Sum (&d)[sums], MatrixDescriptor a, MatrixDescriptor b, bool adds) { \
      TESSERA_ASM_90A(TESSERA_WGMMA_ONE(TESSERA_WGMMA_HEAD(columns, types, sums), p0 ", " p1, p2, signs(p3)) \
                      : TESSERA_WGMMA_SUMS_##sums(constraint)                                                \
                      : "l"(a.bits), "l"(b.bits), "r"(static_cast<int>(adds)), "n"(kScaleA));                \
    }                                                                                                        \
    template <int kScaleA, int kStepA, int kStepB>                                                           \
    static TESSERA_DEVICE void multiply_four(Sum (&d)[sums], MatrixDescriptor a, MatrixDescriptor b,         \
                                             bool adds) {                                                    \
      TESSERA_ASM_90A(                                                                                       \
          TESSERA_WGMMA_FOUR(TESSERA_WGMMA_HEAD(columns, types, sums), p0, p1, p2, p3, p4, signs(p5))        \
          : TESSERA_WGMMA_SUMS_##sums(constraint)                                                            \
          : "l"(a.bits), "l"(b.bits), "r"(static_cast<int>(adds)), "n"(kStepA), "n"(kStepB), "n"(kScaleA));  \
    }                                                                                                        \
    template <int kScaleA, int kStepB>                                                                       \
    static TESSERA_DEVICE void multiply_two(Sum (&d)[sums], const std::uint32_t (&a)[4],                     \
                                            const std::uint32_t (&other_a)[4], MatrixDescriptor b,           \
                                            bool adds) {                                                     \
      TESSERA_ASM_90A(                                                                                       \
          TESSERA_WGMMA_TWO(TESSERA_WGMMA_HEAD(columns, types, sums), "{" p0 ", " p1 ", " p2 ", " p3 "}",    \
                            "{" p4 ", " p5 ", " p6 ", " p7 "}", p8, p9, p10, signs(p11))                     \
          : TESSERA_WGMMA_SUMS_##sums(constraint)                                                            \
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(other_a[0]), "r"(other_a[1]), "r"(other_a[2]),   \
            "r"(other_a[3]), "l"(b.bits), "r"(static_cast<int>(adds)), "n"(kStepB), "n"(kScaleA));           \
    }                                                                                                        \
    template <int kScaleA>                                                                                   \
    static TESSERA_DEVICE void multiply(Sum (&d)[sums], const std::uint32_t (&a)[4], MatrixDescriptor b,     \
                                        bool adds) {                                                         \
      TESSERA_ASM_90A(TESSERA_WGMMA_ONE(TESSERA_WGMMA_HEAD(columns, types, sums),                            \
                                        "{" p0 ", " p1 ", " p2 ", " p3 "}, " p4, p5, signs(p6))              \
                      : TESSERA_WGMMA_SUMS_##sums(constraint)                                                \
                      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b.bits),                             \
                        "r"(static_cast<int>(adds)), "n"(kScaleA));                                          \
    }                                                                                                        \
  };
