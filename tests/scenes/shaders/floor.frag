#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec4 color_out;
// Three samplers side by side: levels apart, levels blended, anisotropic.
layout(binding = 0) uniform texture2D tiles;
layout(binding = 1) uniform sampler samplers[3];

void main()
{
    vec2 at = world.xz * 0.25;
    vec3 a = texture(sampler2D(tiles, samplers[0]), at).rgb, b = texture(sampler2D(tiles, samplers[1]), at).rgb,
         c = texture(sampler2D(tiles, samplers[2]), at).rgb;
    float x = gl_FragCoord.x / 400.0;
    vec3 color = x < 1.0 / 3.0 ? a : x < 2.0 / 3.0 ? b : c;
    float line = min(abs(x - 1.0 / 3.0), abs(x - 2.0 / 3.0)) * 400.0;
    color = mix(color, vec3(0.02), step(line, 1.0));
    float haze = smoothstep(8.0, 42.0, length(world));
    color_out = vec4(mix(color, object.color.rgb, haze), 1.0);
}
