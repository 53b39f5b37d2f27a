#version 450
// What is brighter than white, at half the size.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D hdr;
layout(binding = 1, rgba16f) uniform writeonly image2D half_out;

void main()
{
    ivec2 size = imageSize(half_out), at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, size)))
        return;
    vec3 color = textureLod(hdr, (vec2(at) + 0.5) / vec2(size), 0.0).rgb;
    float bright = max(color.r, max(color.g, color.b));
    imageStore(half_out, at, vec4(color * max(bright - 0.8, 0.0) / max(bright, 1e-3), 1.0));
}
