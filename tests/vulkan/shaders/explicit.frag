#version 450
#extension GL_AMD_shader_explicit_vertex_parameter : require
layout(constant_id = 0) const int WHAT = 0;
layout(location = 0) __explicitInterpAMD in vec4 color;
layout(location = 0) out vec4 out_color;
vec4 weigh(vec2 ij)
{
    return interpolateAtVertexAMD(color, 0) * (1 - ij.x - ij.y) + interpolateAtVertexAMD(color, 1) * ij.x + interpolateAtVertexAMD(color, 2) * ij.y;
}
void main()
{
    switch (WHAT) {
    case 0: out_color = interpolateAtVertexAMD(color, 0); break;
    case 1: out_color = interpolateAtVertexAMD(color, 1); break;
    case 2: out_color = interpolateAtVertexAMD(color, 2); break;
    case 3: out_color = weigh(gl_BaryCoordSmoothAMD); break;
    case 4: out_color = weigh(gl_BaryCoordNoPerspAMD); break;
    case 5: out_color = weigh(gl_BaryCoordSmoothCentroidAMD); break;
    default: out_color = weigh(gl_BaryCoordPullModelAMD.xy / gl_BaryCoordPullModelAMD.z); break;
    }
}
