#version 460
// draw 6 1 4 tolerance 0.01 judge lavapipe-26.1
// Interpolation at other places where some lanes of the quad have gone elsewhere.
layout(location = 0) in vec4 place;
layout(location = 1) flat in uvec4 number;
layout(location = 3) centroid in vec4 middle;
layout(location = 4) in vec4 spread;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 3, std430) buffer Second { vec4 values[]; } second;
void main()
{
    uvec2 at = uvec2(gl_FragCoord.xy);
    uint lane = at.x + at.y * 16u;
    colour = vec4(interpolateAtOffset(place, vec2(0.25, -0.125)).xy, interpolateAtCentroid(place).x, float(number.x) + middle.y);
    // The diagonal is shaded twice.
    if (at.x != 15u - at.y && lane < 120u) {
        second.values[lane * 2u] = vec4(interpolateAtSample(spread, 1).xy, interpolateAtSample(spread, 2).xy);
        second.values[lane * 2u + 1u] = vec4(interpolateAtOffset(spread, vec2(float(at.x) / 64.0, 0.0)).xy, middle.xy); // not spread itself: Mesa takes the first value for it, too
    }
}
