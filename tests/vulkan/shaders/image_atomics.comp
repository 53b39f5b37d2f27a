#version 450
/* Each of 256 invocations does an atomic on one of 16 texels; what it got goes to a buffer. */
layout(local_size_x = 64) in;
layout(binding = 0, QUALIFIER) uniform IMAGE image;
layout(binding = 1) buffer Got {
    VALUE got[];
};
layout(constant_id = 0) const int op = 0;
void main()
{
    uint i = gl_GlobalInvocationID.x;
    ivec2 at = ivec2(i & 3, i >> 2 & 3);
    VALUE value = VALUE(i * 7919u) - VALUE(500000u);
    VALUE r = VALUE(0);
    switch (op) {
    case 0: r = imageAtomicAdd(image, at, value); break;
    case 1: r = imageAtomicMin(image, at, value); break;
    case 2: r = imageAtomicMax(image, at, value); break;
    case 3: r = imageAtomicAnd(image, at, value | VALUE(0xf0u)); break;
    case 4: r = imageAtomicOr(image, at, value & VALUE(0xff00u)); break;
    case 5: r = imageAtomicXor(image, at, value); break;
    case 6: r = imageAtomicExchange(image, at, value); break;
    case 7: r = imageAtomicCompSwap(image, at, VALUE(i & 15u), value); break; /* the first to find the texel's own number wins */
    }
    got[i] = r;
}
