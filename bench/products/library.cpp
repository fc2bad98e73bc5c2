// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <array>
#include <stdexcept>
#include <string>

#include "tessera/tensor.h"

namespace bench {
namespace {

void check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw std::runtime_error(std::string(what) + ": " + cublasLtGetStatusString(status));
  }
}

cudaDataType data_type(int dtype) {
  switch (dtype) {
    case TESSERA_BF16: return CUDA_R_16BF;
    case TESSERA_F16: return CUDA_R_16F;
    case TESSERA_F32: return CUDA_R_32F;
    case TESSERA_F64: return CUDA_R_64F;
    case TESSERA_FP8_E4M3: return CUDA_R_8F_E4M3;
    case TESSERA_I8: return CUDA_R_8I;
    case TESSERA_I32: return CUDA_R_32I;
    default: throw std::runtime_error("a type that the library has not");
  }
}

cublasComputeType_t compute_type(const Type& type) {
  if (std::string(type.name) == "tf32") return CUBLAS_COMPUTE_32F_FAST_TF32;
  if (type.factor == TESSERA_F64) return CUBLAS_COMPUTE_64F;
  return type.factor == TESSERA_I8 ? CUBLAS_COMPUTE_32I : CUBLAS_COMPUTE_32F;
}

cudaDataType scale_type(const Type& type) {
  if (type.factor == TESSERA_F64) return CUDA_R_64F;
  return type.factor == TESSERA_I8 ? CUDA_R_32I : CUDA_R_32F;
}

/// A number as the library wants to be pointed at it.
union Scale {
  float of_float;
  double of_double;
  std::int32_t of_integer;
};

Scale scale(const Type& type, int value) {
  Scale scale{};
  switch (scale_type(type)) {
    case CUDA_R_64F: scale.of_double = value; break;
    case CUDA_R_32I: scale.of_integer = value; break;
    default: scale.of_float = static_cast<float>(value);
  }
  return scale;
}

template <typename T>
void set(cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t attribute, const T& value) {
  check(cublasLtMatmulDescSetAttribute(description, attribute, &value, sizeof value),
        "attribute of a product");
}

}  // namespace

Library::Library() : workspace_(kWorkspaceBytes) { check(cublasLtCreate(&handle_), "cublasLtCreate"); }
Library::~Library() { cublasLtDestroy(handle_); }

/// The library counts columns first: what lies by rows is to it the transposed matrix. So it is asked for
/// Cᵀ = Bᵀ · Aᵀ, its first factor is our B, and a factor that lies by columns is one that it has to transpose.
LibraryProduct::LibraryProduct(const Library& library, const Case& product,
                               std::shared_ptr<const Operands> operands)
    : library_(library), product_(product), operands_(std::move(operands)) {
  describe();
  cublasLtMatmulPreference_t made = nullptr;
  check(cublasLtMatmulPreferenceCreate(&made), "preference");
  const Owned<cublasLtMatmulPreference_t> preference(made);
  const std::size_t room = Library::kWorkspaceBytes;
  check(cublasLtMatmulPreferenceSetAttribute(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room,
                                             sizeof room),
        "workspace");
  std::array<cublasLtMatmulHeuristicResult_t, kMostCandidates> found{};
  int count = 0;
  const cublasStatus_t status =
      cublasLtMatmulAlgoGetHeuristic(library_.handle(), description_.get(), b_.get(), a_.get(), c_.get(),
                                     c_.get(), made, kMostCandidates, found.data(), &count);
  if (status != CUBLAS_STATUS_SUCCESS) return;  // it has no way: no candidates
  for (int i = 0; i < count; ++i) {
    const cublasLtMatmulHeuristicResult_t& result = found[static_cast<std::size_t>(i)];
    if (result.state == CUBLAS_STATUS_SUCCESS) algorithms_.push_back(result.algo);
  }
  keep_what_runs();
}

LibraryProduct::Owned<cublasLtMatrixLayout_t> LibraryProduct::described(const Layout& layout,
                                                                        cudaDataType type) {
  cublasLtMatrixLayout_t made = nullptr;
  check(cublasLtMatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(layout.length()),
                                   static_cast<std::uint64_t>(layout.lines()), layout.line_stride()),
        "layout");
  return Owned<cublasLtMatrixLayout_t>(made);
}

void LibraryProduct::describe() {
  const Type& type = product_.type;
  cublasLtMatmulDesc_t made = nullptr;
  check(cublasLtMatmulDescCreate(&made, compute_type(type), scale_type(type)), "product");
  description_.reset(made);
  const auto operation = [](const Layout& layout) { return layout.by_columns ? CUBLAS_OP_T : CUBLAS_OP_N; };
  set(made, CUBLASLT_MATMUL_DESC_TRANSA, operation(operands_->b()));
  set(made, CUBLASLT_MATMUL_DESC_TRANSB, operation(operands_->a()));
  if (type.factor == TESSERA_FP8_E4M3) set(made, CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{0});
  if (product_.epilogue != Epilogue::none) {
    set(made, CUBLASLT_MATMUL_DESC_EPILOGUE,
        product_.epilogue == Epilogue::bias_gelu ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_BIAS);
    set(made, CUBLASLT_MATMUL_DESC_BIAS_POINTER, operands_->bias());
  }
  a_ = described(operands_->a(), data_type(type.factor));
  b_ = described(operands_->b(), data_type(type.factor));
  c_ = described(operands_->c(), data_type(type.result));
}

void LibraryProduct::keep_what_runs() {
  std::vector<cublasLtMatmulAlgo_t> running;
  for (const cublasLtMatmulAlgo_t& algorithm : algorithms_) {
    if (multiply(algorithm, 0, nullptr) == CUBLAS_STATUS_SUCCESS) running.push_back(algorithm);
  }
  bench::check(cudaDeviceSynchronize(), "candidates of the library");
  algorithms_ = std::move(running);
}

cublasStatus_t LibraryProduct::multiply(const cublasLtMatmulAlgo_t& algorithm, int set,
                                        cudaStream_t stream) const {
  const Scale one = scale(product_.type, 1), zero = scale(product_.type, 0);
  void* const c = operands_->c_data(set);
  return cublasLtMatmul(library_.handle(), description_.get(), &one, operands_->b_data(set), b_.get(),
                        operands_->a_data(set), a_.get(), &zero, c, c_.get(), c, c_.get(), &algorithm,
                        library_.workspace(), Library::kWorkspaceBytes, stream);
}

void LibraryProduct::launch(int candidate, int set, cudaStream_t stream) const {
  check(multiply(algorithms_[static_cast<std::size_t>(candidate)], set, stream), "cublasLtMatmul");
  if (product_.epilogue == Epilogue::bias_gelu_apart) {
    gelu_in_place(operands_->c_data(set), operands_->c().elements(), stream);
  }
}

}  // namespace bench
