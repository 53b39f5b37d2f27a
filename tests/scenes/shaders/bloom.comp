#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D hdr;
layout(binding = 1) uniform sampler2D glow;
layout(binding = 2, rgba8) uniform writeonly image2D picture;

void main()
{
    ivec2 size = imageSize(picture), at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, size)))
        return;
    vec2 uv = (vec2(at) + 0.5) / vec2(size);
    vec3 x = textureLod(hdr, uv, 0.0).rgb + textureLod(glow, uv, 0.0).rgb * 0.9;
    x = clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0);
    vec3 encoded = mix(12.92 * x, 1.055 * pow(max(x, 0.0031308), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, x));
    imageStore(picture, at, vec4(encoded, 1.0));
}
