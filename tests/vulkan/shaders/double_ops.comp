#version 460
layout(local_size_x = 64) in;
layout(constant_id = 0) const int OP = 0;
layout(set = 0, binding = 0) readonly buffer A { double a[]; };
layout(set = 0, binding = 1) readonly buffer B { double b[]; };
layout(set = 0, binding = 2) writeonly buffer R { double r[]; };

double apply(double x, double y)
{
    switch (OP) {
    case 0: return x + y;
    case 1: return x * y;
    case 2: return x / y;
    case 3: return fma(x, y, x);
    case 4: return sqrt(abs(x));
    case 5: return floor(x);
    // A compiler may leave out a conversion and the way back; it does not know that there is one workgroup in y.
    case 6: return double(uintBitsToFloat(floatBitsToUint(float(x)) + gl_NumWorkGroups.y - 1u));
    case 7: return double(int(x));
    case 8: return min(x, y);
    default: return 0.0lf;
    }
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    r[i] = apply(a[i], b[i]);
}
