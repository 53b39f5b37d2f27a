#version 450
#extension GL_EXT_fragment_shading_rate : require
/* What a fragment knows of itself, which `what` chooses. The last channel says that it was here. */
layout(constant_id = 0) const int what = 0;
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 result;
void main()
{
    switch (what) {
    case 0: result = vec4(gl_FragCoord.xy, float(gl_ShadingRateEXT), 1); break;
    case 1: result = vec4(dFdx(gl_FragCoord.x), dFdy(gl_FragCoord.y), float(gl_ShadingRateEXT), 1); break;
    case 2: result = vec4(color.xy, float(gl_ShadingRateEXT), 1); break;
    case 3: result = vec4(dFdx(color.x), dFdy(color.y), float(gl_ShadingRateEXT), 1); break;
    case 4: result = vec4(gl_FragCoord.zw, float(gl_ShadingRateEXT), 1); break;
    case 5:
        if (gl_FragCoord.x > 20.75 && gl_FragCoord.x < 29.25 || gl_FragCoord.y > 16.75)
            discard;
        result = vec4(gl_FragCoord.xy, float(gl_ShadingRateEXT), 1);
        break;
    case 6: result = vec4(1, 2, 4, 1); break;
    case 7: result = vec4(fwidthFine(gl_FragCoord.x), fwidthCoarse(gl_FragCoord.y), float(gl_ShadingRateEXT), 1); break;
    }
#ifdef DEPTH
    gl_FragDepth = 0.25;
#endif
#ifdef MASK_IN
    result.w = float(gl_SampleMaskIn[0]);
#endif
#ifdef MASK_OUT
    gl_SampleMask[0] = gl_ShadingRateEXT == 0 ? 1 : 0;
#endif
#ifdef SAMPLE
    result.w = float(gl_SampleID + 1);
#endif
}
