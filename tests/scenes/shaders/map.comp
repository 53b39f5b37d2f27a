#version 450
// A map in which every colour covers as much as any other, shaded by its slopes, with lines of equal height.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0, r32f) uniform readonly image2D heights;
layout(std430, binding = 1) readonly buffer Ranks { uint ranks[256]; };
layout(binding = 2, rgba8) uniform writeonly image2D picture;

float height(ivec2 at)
{
    return imageLoad(heights, clamp(at, ivec2(0), imageSize(heights) - 1)).r;
}

// Between the ranks of the bins, so that no step shows.
float rank(float value)
{
    float place = value * 256.0 - 0.5;
    int bin = int(floor(place));
    float low = bin < 0 ? 0.0 : float(ranks[bin]), high = float(ranks[min(bin + 1, 255)]);
    return mix(low, high, place - float(bin)) / float(ranks[255]);
}

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(picture);
    if (any(greaterThanEqual(at, size)))
        return;
    float value = height(at), level = rank(value);
    vec2 slope = vec2(height(at + ivec2(1, 0)) - height(at - ivec2(1, 0)), height(at + ivec2(0, 1)) - height(at - ivec2(0, 1)));
    const vec3 colors[7] = vec3[](vec3(0.07, 0.16, 0.35), vec3(0.13, 0.38, 0.55), vec3(0.83, 0.77, 0.55), vec3(0.45, 0.6, 0.28),
                                  vec3(0.2, 0.4, 0.2), vec3(0.5, 0.42, 0.35), vec3(0.96, 0.96, 0.98));
    float place = level * 6.0;
    int band = clamp(int(place), 0, 5);
    vec3 color = mix(colors[band], colors[band + 1], smoothstep(0.3, 0.7, place - float(band)));
    color *= 0.75 + 0.45 * dot(normalize(vec3(-slope * 40.0, 1.0)), normalize(vec3(-0.7, -0.7, 0.8)));
    float lines = abs(fract(value * 20.0) - 0.5) / max(length(slope) * 10.0, 0.02);
    color *= 1.0 - 0.45 * smoothstep(0.9, 0.2, lines);
    imageStore(picture, at, vec4(color, 1.0));
}
