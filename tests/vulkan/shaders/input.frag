#version 450
#ifdef SAMPLES
layout(input_attachment_index = 0, binding = 0) uniform subpassInputMS attached;
#ifdef OWN_SAMPLE
#define LOAD subpassLoad(attached, gl_SampleID)
#else
#define LOAD subpassLoad(attached, 1)
#endif
#elif defined(INDEXED)
// Always the second one, which no compiler knows.
layout(input_attachment_index = 0, binding = 0) uniform subpassInput attached[2];
#define LOAD subpassLoad(attached[int(gl_FragCoord.w + 0.5)])
#else
layout(input_attachment_index = 0, binding = 0) uniform subpassInput attached;
#define LOAD subpassLoad(attached)
#endif
layout(location = 0) out vec4 out_color;
void main()
{
#ifdef DEPTH
    out_color = vec4(1 - LOAD.x);
#else
    out_color = 1 - LOAD;
#endif
}
