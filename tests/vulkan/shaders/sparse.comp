// Writes a buffer, or copies it to another one.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer A { uint a[]; };
layout(set = 0, binding = 1) buffer B { uint b[]; };
layout(push_constant) uniform Push { uint count, pass; };

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    if (pass == 0)
        a[i] = i * 3 + 1;
    else
        b[i] = a[i];
}
