#version 450
// The distance to a letter's strokes: sharp at any size, with a rim and a glow.
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 color_out;
layout(binding = 0) uniform sampler2D distances;

void main()
{
    float inside = texture(distances, uv).r - 0.5, wide = max(fwidthFine(inside), 1e-3);
    float fill = smoothstep(-wide, wide, inside), rim = smoothstep(-wide, wide, inside + 0.09), glow = smoothstep(-0.45, -0.05, inside) * 0.45;
    vec3 paint = mix(color.rgb * 0.25, mix(color.rgb, vec3(1.0), smoothstep(0.05, 0.25, inside) * 0.6), fill);
    float alpha = max(rim, glow * (1.0 - rim));
    color_out = vec4(mix(color.rgb * 0.7, paint, rim), alpha * color.a);
}
