// SPDX-License-Identifier: Apache-2.0
// cuBLASLt: the candidates of its heuristics for a product.
#pragma once

#include <cublasLt.h>

#include <memory>
#include <vector>

#include "operands.h"

namespace bench {

/// A handle and its workspace.
class Library {
 public:
  static constexpr std::size_t kWorkspaceBytes = std::size_t{64} << 20;

  Library();
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  cublasLtHandle_t handle() const { return handle_; }
  void* workspace() const { return workspace_.data(); }

 private:
  cublasLtHandle_t handle_ = nullptr;
  Buffer workspace_;
};

/// A product as the library knows it, with the ways that its heuristics propose, best first, as far as they run.
class LibraryProduct {
 public:
  static constexpr int kMostCandidates = 16;

  LibraryProduct(const Library& library, const Case& product, std::shared_ptr<const Operands> operands);

  int candidates() const { return static_cast<int>(algorithms_.size()); }
  const Operands& operands() const { return *operands_; }
  /// Queues the product of a set, and the activation where it stands apart.
  void launch(int candidate, int set, cudaStream_t stream) const;

 private:
  struct Destroy {
    void operator()(cublasLtMatmulDesc_t description) const { cublasLtMatmulDescDestroy(description); }
    void operator()(cublasLtMatrixLayout_t layout) const { cublasLtMatrixLayoutDestroy(layout); }
    void operator()(cublasLtMatmulPreference_t wish) const { cublasLtMatmulPreferenceDestroy(wish); }
  };
  template <typename Pointer>
  using Owned = std::unique_ptr<std::remove_pointer_t<Pointer>, Destroy>;

  static Owned<cublasLtMatrixLayout_t> described(const Layout& layout, cudaDataType type);
  void describe();
  void keep_what_runs();
  cublasStatus_t multiply(const cublasLtMatmulAlgo_t& algorithm, int set, cudaStream_t stream) const;

  const Library& library_;
  Case product_;
  std::shared_ptr<const Operands> operands_;
  Owned<cublasLtMatmulDesc_t> description_;
  Owned<cublasLtMatrixLayout_t> a_, b_, c_;
  std::vector<cublasLtMatmulAlgo_t> algorithms_;
};

}  // namespace bench
