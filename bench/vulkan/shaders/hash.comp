#version 450
// A loop of integer operations: nine a round (three shifts, three exclusive ors, two products, a sum).
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uint rounds;
};
layout(set = 0, binding = 0) writeonly buffer Hashes {
    uint hashes[];
};

void main()
{
    uint x = gl_GlobalInvocationID.x;
    for (uint i = 0; i < rounds; i++) {
        x ^= x >> 16;
        x *= 0x7feb352du;
        x ^= x >> 15;
        x *= 0x846ca68bu;
        x ^= x >> 16;
        x += i;
    }
    hashes[gl_GlobalInvocationID.x] = x;
}
