#version 450
/* A rectangle of a storage image gets a colour; formats need not be known for writing. */
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform writeonly image2D target;
layout(push_constant) uniform Push {
    vec4 color;
    ivec2 corner, size;
};
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (all(lessThan(at, size)))
        imageStore(target, corner + at, color);
}
