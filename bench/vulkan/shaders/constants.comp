#version 450
// A hundred constants, which are other ones in every pipeline.
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint c0 = 0;
layout(set = 0, binding = 0) buffer Results {
    uint results[];
};
#define STEP(n) x = (x ^ (c0 * (2 * (n) + 1) + (n) * 0x9e3779b9u)) * 0x85ebca6bu;
#define STEPS(n) STEP(n) STEP(n + 1) STEP(n + 2) STEP(n + 3) STEP(n + 4) STEP(n + 5) STEP(n + 6) STEP(n + 7) STEP(n + 8) STEP(n + 9)

void main()
{
    uint x = gl_LocalInvocationID.x;
    STEPS(0) STEPS(10) STEPS(20) STEPS(30) STEPS(40) STEPS(50) STEPS(60) STEPS(70) STEPS(80) STEPS(90)
    results[gl_GlobalInvocationID.x] = x;
}
