#version 450
#extension GL_EXT_fragment_shader_barycentric : require
layout(constant_id = 0) const int WHAT = 0;
layout(constant_id = 1) const int CORNERS = 3; // of what is drawn
layout(location = 0) pervertexEXT in vec4 color[3];
layout(location = 0) out vec4 out_color;
vec4 weigh(vec3 weights)
{
    vec4 sum = color[0] * weights.x;
    if (CORNERS > 1)
        sum += color[1] * weights.y;
    if (CORNERS > 2)
        sum += color[2] * weights.z;
    return sum;
}
void main()
{
    switch (WHAT) {
    case 0: out_color = vec4(gl_BaryCoordEXT, 1); break;
    case 1: out_color = vec4(gl_BaryCoordNoPerspEXT, 1); break;
    case 2: out_color = color[0]; break;
    case 3: out_color = color[1]; break;
    case 4: out_color = color[2]; break;
    case 5: out_color = weigh(gl_BaryCoordEXT); break;
    case 6: out_color = weigh(gl_BaryCoordNoPerspEXT); break;
    case 7: out_color = color[int(gl_FragCoord.x) % 3]; break;
    case 8: out_color = vec4(interpolateAtOffset(gl_BaryCoordEXT, vec2(0.375, -0.25)), 1); break;
    case 9: out_color = vec4(interpolateAtOffset(gl_BaryCoordNoPerspEXT, vec2(-0.25, 0.4375)), 1); break;
    case 10: out_color = vec4(interpolateAtCentroid(gl_BaryCoordEXT), 1); break;
    default: out_color = vec4(gl_BaryCoordEXT[int(gl_FragCoord.y) % 3]); break;
    }
}
