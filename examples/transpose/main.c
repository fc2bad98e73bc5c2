/* SPDX-License-Identifier: Apache-2.0 */
/* A transposition through the C interface; and a wrong call, which the launcher refuses. */
#include <math.h>

#include "../common/device.h"
#include "../common/numbers.h"
#include "transpose.h"

enum { M = 37, N = 129 };

int main(void) {
  static float x[M][N], y[N][M];
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) x[m][n] = (float)random_between(-1, 1);
  }
  const TesseraTensor x_tensor = {.data = device_copy(x, sizeof x),
                                  .extent = {M, N},
                                  .stride = {N, 1},
                                  .rank = 2,
                                  .dtype = TESSERA_F32,
                                  .device = device_ordinal()};
  const TesseraTensor y_tensor = {.data = device_poisoned(sizeof y),
                                  .extent = {N, M},
                                  .stride = {M, 1},
                                  .rank = 2,
                                  .dtype = TESSERA_F32,
                                  .device = device_ordinal()};

  launch_must(tessera_transpose(&x_tensor, &y_tensor, NULL));

  device_read(y, y_tensor.data, sizeof y);
  double ratio = 0;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) ratio = fmax(ratio, error_ratio(fabs(y[n][m] - x[m][n]), 0));
  }

  /* With an output shaped like the input nothing is launched, and the status says what is wrong. */
  TesseraTensor wrong = x_tensor;
  wrong.data = y_tensor.data;
  const TesseraStatus refused = tessera_transpose(&x_tensor, &wrong, NULL);
  char message[256];
  tessera_status_message(&refused, message, sizeof message);
  printf("refused: %s\n", message);

  device_free(x_tensor.data);
  device_free(y_tensor.data);
  return report_ratio("transpose", M * N, ratio) != 0 || refused.code != TESSERA_WRONG_EXTENT;
}
