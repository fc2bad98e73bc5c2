// SPDX-License-Identifier: Apache-2.0
// Calls a kernel through its generated header and checks the result. Needs no GPU when built for the host twin.
#include "kernels.h"

#include <cstdio>
#include <vector>

extern "C" int check_c_interface(void);

int main() {
  if (check_c_interface() != 0) return 1;
  const tessera::index n = 1000;
  std::vector<float> x(n), y(n, -1.0F);
  for (tessera::index i = 0; i < n; ++i) x[i] = static_cast<float>(i) * 0.25F;

  const tessera::Status status = outside::scale(tessera::tensor(x.data(), {n}), tessera::tensor(y.data(), {n}), 3.0F);
  if (!status.ok()) {
    std::printf("scale: %s\n", status.message().c_str());
    return 1;
  }
  for (tessera::index i = 0; i < n; ++i) {
    if (y[i] != 3.0F * x[i] + 1.0F) {
      std::printf("y[%lld] = %g\n", static_cast<long long>(i), y[i]);
      return 1;
    }
  }
  std::printf("scale: %lld elements, all as expected\n", static_cast<long long>(n));
}
