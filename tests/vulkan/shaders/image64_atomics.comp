#version 460
#extension GL_EXT_shader_image_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(constant_id = 0) const int OP = 0;
layout(binding = 0, r64ui) uniform u64image2D image;
layout(binding = 1) buffer Got { uint64_t got[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    ivec2 at = ivec2(i & 3, i >> 2 & 3);
    uint64_t value = uint64_t(i) * 0x9e3779b97f4a7c15ul;
    switch (OP) {
    case 0: imageAtomicAdd(image, at, value); break;
    case 1: imageAtomicMin(image, at, value); break;
    case 2: imageAtomicMax(image, at, value); break;
    case 3: imageAtomicXor(image, at, value); break;
    case 4: imageAtomicOr(image, at, value); break;
    }
    barrier();
    memoryBarrier();
    got[i] = OP == 5 ? imageLoad(image, at).x : value;
}
