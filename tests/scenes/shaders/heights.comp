#version 450
// Hills from waves, and how often each height occurs: counted in workgroup memory first.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0, r32f) uniform writeonly image2D heights;
layout(std430, binding = 1) buffer Counts { uint counts[256]; };
shared uint here[256];

float height(vec2 p)
{
    float sum = 0.0, weight = 1.0;
    for (int i = 0; i < 6; i++) {
        sum += weight * sin(p.x + 1.3 * sin(p.y * 0.7 + float(i))) * cos(p.y * 0.9 + sin(p.x * 0.6 - float(i) * 1.7));
        p = mat2(1.4, 1.1, -1.1, 1.4) * p + 2.0;
        weight *= 0.48;
    }
    return clamp(0.5 + 0.27 * sum, 0.0, 0.9999);
}

void main()
{
    here[gl_LocalInvocationIndex] = 0u;
    barrier();
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(heights);
    if (all(lessThan(at, size))) {
        float value = height(vec2(at) / 62.0 + vec2(0.4, 0.2));
        imageStore(heights, at, vec4(value));
        atomicAdd(here[int(value * 256.0)], 1u);
    }
    barrier();
    if (here[gl_LocalInvocationIndex] != 0u)
        atomicAdd(counts[gl_LocalInvocationIndex], here[gl_LocalInvocationIndex]);
}
