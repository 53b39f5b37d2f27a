#version 450
#if WHAT == 3 /* what early tests have left of it */
#extension GL_ARB_post_depth_coverage : require
layout(early_fragment_tests, post_depth_coverage) in;
#endif
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 out_color;
layout(constant_id = 0) const int mask = 5;
void main()
{
    out_color = color;
#if WHAT == 0 /* an invocation a sample */
    out_color = vec4((gl_SampleID + 1) / 16.0, gl_SamplePosition, 1);
#elif WHAT == 1 || WHAT == 3 /* how much of the pixel is covered */
    out_color = vec4(bitCount(gl_SampleMaskIn[0]) / 8.0, 0, 0, 1);
#elif WHAT == 2
    gl_SampleMask[0] = mask;
#elif WHAT == 4 /* an invocation a sample, which is named and not read */
    gl_SampleID;
    out_color = vec4(0.5, fract(gl_FragCoord.xy), 1);
#endif
}
