#version 450
#extension GL_KHR_shader_subgroup_quad : require
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color_out;
layout(binding = 0) uniform sampler2D colors;
layout(binding = 1) uniform sampler2D shapes;

// Of four texels around a corner: how far the diagonals differ.
float across(vec4 texels)
{
    return abs(texels.x - texels.z) + abs(texels.y - texels.w);
}

void main()
{
    vec2 size = vec2(textureSize(shapes, 0));
    // A corner of texels, so that what is gathered does not hang on rounding.
    vec2 corner = (floor(uv * size) + 1.0) / size;
    vec4 far = textureGather(shapes, corner, 3);
    float bent = across(textureGather(shapes, corner, 0)) + across(textureGather(shapes, corner, 1)) + across(textureGatherOffset(shapes, corner, ivec2(0, 0), 2));
    float wide = across(textureGatherOffset(shapes, corner, ivec2(-1, -1), 3));
    float edge = max(smoothstep(0.25, 0.5, max(across(far), wide) / min(min(far.x, far.y), min(far.z, far.w))), smoothstep(0.9, 1.6, bent));
    vec4 color = textureLod(colors, uv, 0.0);
    // Hatching in the shade; its sharpness from the neighbours in the quad.
    float place = (gl_FragCoord.x + gl_FragCoord.y) * 0.75, beside = subgroupQuadSwapHorizontal(place), below = subgroupQuadSwapVertical(place);
    float step_length = max(abs(beside - place), abs(below - place)), lines = abs(fract(place / 6.0) - 0.5) * 6.0;
    float hatch = color.a < 0.5 && color.a > 0.0 ? smoothstep(step_length * 1.6, step_length * 0.4, lines) : 0.0;
    vec3 paper = mix(vec3(0.96, 0.93, 0.86), vec3(0.86, 0.8, 0.7), uv.y) - 0.05 * smoothstep(0.4, 0.7, distance(uv, vec2(0.5)));
    vec3 paint = color.a > 0.0 ? mix(color.rgb, vec3(0.1, 0.08, 0.12), hatch * 0.6) : paper;
    color_out = vec4(mix(paint, vec3(0.06, 0.05, 0.08), edge), 1.0);
}
