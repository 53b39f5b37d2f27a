#version 450
layout(location = 0) in vec4 smooth_color;
layout(location = 1) flat in vec4 flat_color;
layout(location = 2) noperspective in vec4 linear_color;
#ifdef SAMPLES
layout(location = 3) centroid in vec4 centroid_color;
layout(location = 4) sample in vec4 sample_color;
#endif
layout(location = 0) out vec4 out_color;
layout(constant_id = 0) const int what = 0;
void main()
{
    switch (what) {
    case 0: out_color = smooth_color; break;
    case 1: out_color = flat_color; break;
    case 2: out_color = linear_color; break;
#ifdef SAMPLES
    case 3: out_color = centroid_color; break;
    case 4: out_color = sample_color; break;
    case 5: out_color = interpolateAtCentroid(smooth_color); break;
    case 6: out_color = interpolateAtSample(smooth_color, gl_SampleID); break;
#endif
    case 7: out_color = interpolateAtOffset(smooth_color, vec2(0.25, -0.25)); break;
    }
}
