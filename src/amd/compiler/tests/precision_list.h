/* The operations whose precision is measured: ROW(name, operands, expression of x, y and z). GLSL and C read this. */
#define PRECISION_1(ROW)                                                                                               \
    ROW(sin, 1, sin(x))                                                                                                \
    ROW(cos, 1, cos(x))                                                                                                \
    ROW(tan, 1, tan(x))                                                                                                \
    ROW(asin, 1, asin(x))                                                                                              \
    ROW(acos, 1, acos(x))                                                                                              \
    ROW(atan, 1, atan(x))                                                                                              \
    ROW(sinh, 1, sinh(x))                                                                                              \
    ROW(cosh, 1, cosh(x))                                                                                              \
    ROW(tanh, 1, tanh(x))                                                                                              \
    ROW(asinh, 1, asinh(x))                                                                                            \
    ROW(acosh, 1, acosh(x))                                                                                            \
    ROW(atanh, 1, atanh(x))                                                                                            \
    ROW(exp, 1, exp(x))                                                                                                \
    ROW(exp2, 1, exp2(x))                                                                                              \
    ROW(log, 1, log(x))                                                                                                \
    ROW(log2, 1, log2(x))                                                                                              \
    ROW(sqrt, 1, sqrt(x))                                                                                              \
    ROW(inversesqrt, 1, inversesqrt(x))                                                                                \
    ROW(reciprocal, 1, REAL(1) / x)                                                                                    \
    ROW(floor, 1, floor(x))                                                                                            \
    ROW(ceil, 1, ceil(x))                                                                                              \
    ROW(trunc, 1, trunc(x))                                                                                            \
    ROW(round, 1, round(x))                                                                                            \
    ROW(roundEven, 1, roundEven(x))                                                                                    \
    ROW(fract, 1, fract(x))                                                                                            \
    ROW(abs, 1, abs(x))                                                                                                \
    ROW(negate, 1, -x)                                                                                                 \
    ROW(sign, 1, sign(x))                                                                                              \
    ROW(radians, 1, radians(x))                                                                                        \
    ROW(degrees, 1, degrees(x))                                                                                        \
    ROW(to_int, 1, REAL(int(x)))                                                                                       \
    ROW(to_uint, 1, REAL(uint(x)))                                                                                     \
    ROW(frexp, 1, fraction(x))                                                                                         \
    ROW(modf, 1, part(x))
#define PRECISION_2(ROW)                                                                                               \
    ROW(add, 2, x + y)                                                                                                 \
    ROW(subtract, 2, x - y)                                                                                            \
    ROW(multiply, 2, x *y)                                                                                             \
    ROW(divide, 2, x / y)                                                                                              \
    ROW(mod, 2, mod(x, y))                                                                                             \
    ROW(rem, 2, f_rem(x, y))                                                                                           \
    ROW(pow, 2, pow(x, y))                                                                                             \
    ROW(atan2, 2, atan(x, y))                                                                                          \
    ROW(min, 2, min(x, y))                                                                                             \
    ROW(max, 2, max(x, y))                                                                                             \
    ROW(step, 2, step(x, y))                                                                                           \
    ROW(length2, 2, length(vec(x, y)))                                                                                 \
    ROW(distance2, 2, distance(vec(x, y), vec(y, y)))                                                                  \
    ROW(normalize2, 2, normalize(vec(x, y)).x)                                                                         \
    ROW(dot2, 2, dot(vec(x, y), vec(y, x)))
#define PRECISION_3(ROW)                                                                                               \
    ROW(fma, 3, fma(x, y, z))                                                                                          \
    ROW(mix, 3, mix(x, y, z))                                                                                          \
    ROW(clamp, 3, clamp(x, min(y, z), max(y, z)))                                                                      \
    ROW(smoothstep, 3, smoothstep(x, y, z))
#define PRECISION_ROWS(ROW) PRECISION_1(ROW) PRECISION_2(ROW) PRECISION_3(ROW)
