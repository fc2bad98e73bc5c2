/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel from C11: a launch of zeros, and what is wrong told by the argument's name. */
#include <stdio.h>
#include <string.h>

#include "kernels.h"

int check_c_interface(void);

static int failures = 0;

static void expect(TesseraStatus status, const char* expected) {
  char message[512];
  tessera_status_message(&status, message, sizeof message);
  if (strcmp(message, expected) == 0) return;
  printf("expected %s\n     got %s\n", expected, message);
  ++failures;
}

int check_c_interface(void) {
  float x[3] = {1, 2, 3}, y[3] = {0};
  const TesseraTensor x_tensor = {
      .data = x, .extent = {3}, .stride = {1}, .rank = 1, .dtype = TESSERA_F32, .device = TESSERA_HOST};
  TesseraTensor y_tensor = x_tensor;
  y_tensor.data = y;
  const TesseraTensor tensors[] = {x_tensor, y_tensor};
  const TesseraScalar factor = {.real = 2};
  TesseraLaunch launch = {0};

  expect(tessera_scale(&x_tensor, &y_tensor, 2, &launch), "tessera: ok");
  expect(tessera_scale(&x_tensor, &y_tensor, 2, NULL), "tessera: ok");
  expect(tessera_scale_invoke(tensors, &factor, &launch), "tessera: ok");
  if (y[2] != 7) ++failures;
  expect(tessera_scale(&x_tensor, NULL, 2, &launch), "scale: argument 1 (y): tensor is null");
  expect(tessera_scale_invoke(NULL, &factor, &launch), "scale: tensors is null");
  expect(tessera_scale_invoke(tensors, NULL, &launch), "scale: scalars is null");
  expect(tessera_scale(&x_tensor, &x_tensor, 2, &launch),
         "scale: argument 1 (y): shares memory with argument 0 (x)");
  launch.variant = TESSERA_VARIANT(99);
  expect(tessera_scale(&x_tensor, &y_tensor, 2, &launch), "scale: variant 99 does not fit these arguments");
  launch = (TesseraLaunch){.arch = 75};
  expect(tessera_scale(&x_tensor, &y_tensor, 2, &launch),
         "scale: built for sm_80, sm_90, the launch asks for sm_75");
  return failures;
}
