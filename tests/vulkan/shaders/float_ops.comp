#version 460
// One float operation, chosen at specialization.
layout(local_size_x = 64) in;
layout(constant_id = 0) const int OP = 0;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) writeonly buffer R { float r[]; };

float apply(float x, float y)
{
    int e;
    switch (OP) {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return x * y;
    case 3: return x / y;
    case 4: return fma(x, y, x);
    case 5: return sqrt(abs(x));
    case 6: return inversesqrt(abs(x) + 0.001);
    case 7: return exp2(x * 0.01);
    case 8: return log2(abs(x) + 0.001);
    case 9: return sin(x * 0.01);
    case 10: return cos(x * 0.01);
    case 11: return floor(x);
    case 12: return ceil(x);
    case 13: return trunc(x);
    case 14: return roundEven(x);
    case 15: return fract(x);
    case 16: return min(x, y);
    case 17: return max(x, y);
    case 18: return clamp(x, -1.0, 2.5);
    case 19: return mix(x, y, 0.25);
    case 20: return step(x, y);
    case 21: return smoothstep(-2.0, 5.0, x);
    case 22: return abs(x);
    case 23: return sign(x);
    case 24: return mod(x, abs(y) + 0.5);
    case 25: return ldexp(x, 3);
    case 26: return frexp(x, e) + float(e);
    case 27: return float(int(x));
    case 28: return float(uint(abs(x)));
    case 29: return x < y ? x : -y;
    case 30: return float(packHalf2x16(vec2(y, x)) & 0xffffu);
    case 31: return unpackUnorm4x8(packUnorm4x8(vec4(x, y, x * 0.01, y * 0.01))).z;
    case 32: return unpackSnorm2x16(packSnorm2x16(vec2(x * 0.01, y * 0.01))).x;
    case 33: return length(vec3(x, y, 1.0));
    case 34: return dot(vec4(x, y, 1.0, 2.0), vec4(y, x, 3.0, 4.0));
    case 35: return atan(x, y);
    case 36: return pow(abs(x) + 0.5, 0.3);
    case 37: return exp(x * 0.01);
    case 38: return log(abs(x) + 0.001);
    case 39: return tan(x * 0.001);
    case 40: return asin(clamp(x * 0.01, -1.0, 1.0));
    case 41: return (mat2(x, y, 1.0, 2.0) * vec2(y, x)).x;
    case 43: return unpackHalf2x16(floatBitsToUint(x) & 0x7bff7bffu).x;
    case 42: return uintBitsToFloat(floatBitsToUint(x) ^ 0x80000000u);
    default: return 0.0;
    }
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    r[i] = apply(a[i], b[i]);
}
