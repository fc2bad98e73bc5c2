// SPDX-License-Identifier: Apache-2.0
// c[m, n] = sum over k of a[m, k] * b[k, n] of one tile, for every type of product, written by hand in the style of
// generated code.
// Laid out as the compiler prints.
// clang-format off
#include "handwritten.h"
#include "tessera/kernel.h"

namespace kernels {
using namespace tessera;
using tessera::index;  // hides ::index, a function of <strings.h>

namespace {

constexpr int kM = 128, kN = 128;

/// product: kK of K at a time through one buffer. kMajor: what lines of both tiles run along.
template <typename T, int kK, int kWarpRows, int kWarpColumns, Major kMajor>
TESSERA_KERNEL(kWarpRows * kWarpColumns * 32)
void product_tile(TESSERA_PARAMETER View<const typename Mma<T>::Element, 2> a,
                  TESSERA_PARAMETER View<const typename Mma<T>::Element, 2> b,
                  TESSERA_PARAMETER View<typename Mma<T>::Sum, 2> c, index M, index N, index K) {
  using Element = typename Mma<T>::Element;
  using Layout = FragmentLayout<kM, kN, kWarpRows, kWarpColumns>;
  constexpr bool kAlongK = kMajor == Major::k;
  TESSERA_DYNAMIC_SHARED(Element, elements, 0, (kM + kN) * kK);
  const OperandTile<Element, kAlongK ? kM : kK, kAlongK ? kK : kM> a_tile{elements, 0};
  const OperandTile<Element, kAlongK ? kN : kK, kAlongK ? kK : kN> b_tile{elements, kM * kK};
  const auto a_mk = plane(a, {0, 0}, {{1, 0}, 0, M}, {{0, 1}, 0, K});
  const auto b_nk = plane(b, {0, 0}, {{0, 1}, 0, N}, {{1, 0}, 0, K});

  Fragment<typename Mma<T>::Sum, Layout> sum;
  sum.fill(0);
  for (index k = 0; k < K; k += kK) {                                         // product.tsr:3
    fill_tile<Copy::elements, Layout::kThreads, kAlongK ? 1 : 0>(a_tile, a_mk, {0, k});
    fill_tile<Copy::elements, Layout::kThreads, kAlongK ? 1 : 0>(b_tile, b_nk, {0, k});
    barrier();                                                                // the tiles are complete
    multiply<T, kMajor, kMajor>(sum, a_tile, b_tile);                         // product.tsr:4
    barrier();                                                                // they may be overwritten
  }
  TESSERA_UNROLL for (int i = 0; i < Layout::kCount; ++i) {                   // product.tsr:5
    const index m = Layout::row(i), n = Layout::column(i);
    if (m < M && n < N) c.store({m, n}, sum[i]);
  }
}

}  // namespace

template <typename T>
Status product(const Tensor& a, const Tensor& b, const Tensor& c, const LaunchOptions& options) {
  using Element = typename Mma<T>::Element;
  using Sum = typename Mma<T>::Sum;
  LaunchCheck check("product");
  check.tensor<const Element, 2>(0, "a", a);
  check.tensor<const Element, 2>(1, "b", b);
  check.tensor<Sum, 2>(2, "c", c);
  const index M = check.symbol("M", 0, a, 0), K = check.symbol("K", 0, a, 1), N = check.symbol("N", 1, b, 1);
  check.extent(1, "b", b, 0, K, "K");
  check.extent(2, "c", c, 0, M, "M");
  check.extent(2, "c", c, 1, N, "N");
  check.require(M <= kM && N <= kN, "M <= 128, N <= 128");
  check.outputs_are_disjoint();
  constexpr int kDepth = sizeof(Sum) == 8 ? 16 : 64 / sizeof(Element);
  constexpr int kWarpRows = 2;
  const DynamicShared shared{(kM + kN) * kDepth * static_cast<int>(sizeof(Element))};
  const auto run = [&](auto kernel) {
    return launch(check, options, kernel, Blocks{1}, Threads{kWarpRows * 4 * 32}, shared, view<const Element, 2>(a),
                  view<const Element, 2>(b), view<Sum, 2>(c), M, N, K);
  };
  switch (check.choose(options, {true, true})) {
    case 0: return run(product_tile<T, kDepth, kWarpRows, 4, Major::k>);
    case 1: return run(product_tile<T, kDepth, kWarpRows, 4, Major::mn>);
    default: return check.status();
  }
}

template Status product<bf16>(const Tensor&, const Tensor&, const Tensor&, const LaunchOptions&);
template Status product<f16>(const Tensor&, const Tensor&, const Tensor&, const LaunchOptions&);
template Status product<tf32>(const Tensor&, const Tensor&, const Tensor&, const LaunchOptions&);
template Status product<float>(const Tensor&, const Tensor&, const Tensor&, const LaunchOptions&);
template Status product<double>(const Tensor&, const Tensor&, const Tensor&, const LaunchOptions&);
template Status product<std::int8_t>(const Tensor&, const Tensor&, const Tensor&, const LaunchOptions&);
template Status product<std::uint8_t>(const Tensor&, const Tensor&, const Tensor&, const LaunchOptions&);

}  // namespace kernels
