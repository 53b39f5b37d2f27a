/* The functions of one and two numbers whose precision is measured: name in GLSL and C. */
#define GLSL_FUNCTIONS_1(F)                                                                                            \
    F(sin) F(cos) F(tan) F(asin) F(acos) F(atan) F(sinh) F(cosh) F(tanh) F(asinh) F(acosh) F(atanh) F(exp) F(log) F(exp2)     \
    F(log2) F(sqrt) F(inversesqrt) F(floor) F(ceil) F(trunc) F(roundEven) F(round) F(fract) F(abs) F(sign) F(radians) F(degrees)
#define GLSL_FUNCTIONS_2(F) F(pow) F(atan) F(min) F(max) F(step)
