#version 450
/* The level of detail comes from the neighbours. */
layout(binding = 0) uniform sampler2D source;
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 out_color;
layout(constant_id = 0) const int what = 0;
void main()
{
    switch (what) {
    case 0: out_color = texture(source, color.xy); break;
    case 1: out_color = texture(source, color.xy, 1.0); break;
    case 2: out_color = vec4(textureQueryLod(source, color.xy), 0, 1); break;
    case 3: out_color = textureProj(source, vec3(color.xy * 2, 2)); break;
    }
}
