#version 450
layout(local_size_x_id = 4, local_size_y_id = 5) in;
layout(constant_id = 0) const bool a_bool = false;
layout(constant_id = 1) const int an_int = -1;
layout(constant_id = 2) const float a_float = 0.5;
layout(constant_id = 3) const uint a_size = 2;
layout(binding = 0) buffer Result {
    uint results[];
};
void main()
{
    uint local[a_size];
    for (uint i = 0; i < a_size; i++)
        local[i] = i * i;
    if (gl_LocalInvocationIndex == 0) {
        results[0] = a_bool ? 1 : 0;
        results[1] = uint(an_int);
        results[2] = floatBitsToUint(a_float * 2);
        results[3] = local[a_size - 1];
        results[4] = gl_WorkGroupSize.x;
        results[5] = gl_WorkGroupSize.y;
    }
    atomicAdd(results[6], 1);
}
