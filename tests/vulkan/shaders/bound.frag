#version 450
/* Adds what is bound for this stage to the hash of the one before, and counts it. */
layout(constant_id = 0) const uint number = 0;
layout(set = 0, binding = 1) buffer Counts { uint counts[]; };
#ifdef STORAGE
layout(set = 1, binding = 0) readonly buffer Value { uint value; };
#else
layout(set = 1, binding = 0) uniform Value { uint value; };
#endif
layout(push_constant) uniform Push { uint first, between[14], last; };
layout(location = 0) flat in uint hash;

uint mixed(uint to, uint word)
{
    return (to ^ word) * 16777619u;
}

void main()
{
    const uint all = mixed(mixed(mixed(hash, number), value), last);
    atomicAdd(counts[(all ^ all >> 16) & 4095], 1);
}
