#version 450
/* A hash of all that is bound for this stage. Three vertices, the first a multiple of three, cover the target. */
layout(constant_id = 0) const uint number = 0;
layout(set = 0, binding = 0) uniform Value { uint value; };
layout(push_constant) uniform Push { uint first, between[14], last; };
layout(location = 0) in uint vertex;
layout(location = 0) flat out uint hash;

uint mixed(uint to, uint word)
{
    return (to ^ word) * 16777619u;
}

void main()
{
    hash = mixed(mixed(mixed(mixed(mixed(mixed(1, number), value), first), vertex), gl_VertexIndex), gl_InstanceIndex);
    const uint corner = gl_VertexIndex % 3;
    gl_Position = vec4(corner == 1 ? 3 : -1, corner == 2 ? 3 : -1, 0, 1);
}
