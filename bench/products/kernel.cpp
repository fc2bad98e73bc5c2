// SPDX-License-Identifier: Apache-2.0
#include "kernel.h"

#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>
#include <vector>

namespace bench {
namespace {

TesseraTensor matrix(void* data, const Layout& layout, int dtype) {
  TesseraTensor tensor{};
  tensor.data = data;
  tensor.extent[0] = layout.rows;
  tensor.extent[1] = layout.columns;
  tensor.stride[0] = layout.row_stride();
  tensor.stride[1] = layout.column_stride();
  tensor.rank = 2;
  tensor.dtype = dtype;
  return tensor;
}

TesseraTensor vector(void* data, std::int64_t elements, int dtype) {
  TesseraTensor tensor{};
  tensor.data = data;
  tensor.extent[0] = elements;
  tensor.stride[0] = 1;
  tensor.rank = 1;
  tensor.dtype = dtype;
  return tensor;
}

}  // namespace

Kernel::Kernel(const std::string& folder, const Case& product) : product_(product) {
  const std::string path = folder + "/" + std::filesystem::path(product.source).stem().string() + ".so";
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const std::string name = "tessera_" + product.kernel + "_invoke";
  invoke_ = reinterpret_cast<Invoke>(dlsym(library, name.c_str()));
  if (invoke_ == nullptr) throw std::runtime_error(path + " has no " + name);
}

void Kernel::launch(const Operands& operands, int set, cudaStream_t stream) const {
  const int factor = product_.type.factor, result = product_.type.result;
  std::vector<TesseraTensor> tensors = {matrix(operands.a_data(set), operands.a(), factor),
                                        matrix(operands.b_data(set), operands.b(), factor)};
  if (product_.epilogue != Epilogue::none) {  // a linear layer has its weights by rows of outputs
    std::swap(tensors[1].extent[0], tensors[1].extent[1]);
    std::swap(tensors[1].stride[0], tensors[1].stride[1]);
    tensors.push_back(vector(operands.bias(), operands.b().columns, result));
  }
  tensors.push_back(matrix(operands.c_data(set), operands.c(), result));
  TesseraLaunch launch{};
  launch.stream = stream;
  const TesseraScalar none{};
  const TesseraStatus status = invoke_(tensors.data(), &none, &launch);
  if (status.code != TESSERA_OK) throw std::runtime_error(tessera::Status(status).message().c_str());
}

}  // namespace bench
