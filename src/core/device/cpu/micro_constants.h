// Constants of the vector exponential.
#ifndef FLEXKERN_DEVICE_CPU_MICRO_CONSTANTS_H
#define FLEXKERN_DEVICE_CPU_MICRO_CONSTANTS_H

namespace flexkern {

struct ExpConstantsF32 {
  static constexpr float inverse_log2 = 1.44269504088896341f;
  static constexpr float log2_high = 0.693359375f;
  static constexpr float log2_low = -2.12194440e-4f;
  static constexpr float smallest = -87.0f;
  // Adding it rounds to an integer that then stands in the low bits.
  static constexpr float rounder = 12582912.0f;  // 1.5 * 2^23
  static constexpr float series[] = {1.0f,      1.0f,       1.0f / 2,   1.0f / 6,
                                     1.0f / 24, 1.0f / 120, 1.0f / 720, 1.0f / 5040};
};

struct ExpConstantsF64 {
  static constexpr double inverse_log2 = 1.44269504088896340736;
  static constexpr double log2_high = 0x1.62e42fee00000p-1;
  static constexpr double log2_low = 0x1.a39ef35793c76p-33;
  static constexpr double smallest = -708.0;
  static constexpr double rounder = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr double series[] = {1.0,
                                      1.0,
                                      1.0 / 2,
                                      1.0 / 6,
                                      1.0 / 24,
                                      1.0 / 120,
                                      1.0 / 720,
                                      1.0 / 5040,
                                      1.0 / 40320,
                                      1.0 / 362880,
                                      1.0 / 3628800,
                                      1.0 / 39916800,
                                      1.0 / 479001600,
                                      1.0 / 6227020800.0};
};

}  // namespace flexkern

#endif
