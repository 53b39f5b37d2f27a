#version 460

// Instances in a grid, with a point size and a clip plane.
layout(location = 0) in vec2 place;
layout(location = 0) flat out uint instance;

out gl_PerVertex {
    vec4 gl_Position;
    float gl_PointSize;
    float gl_ClipDistance[2];
};

void main()
{
    vec2 cell = vec2(gl_InstanceIndex % 16, gl_InstanceIndex / 16) / 8.0 - 1.0;
    gl_Position = vec4(cell + place * 0.0625, 0.5, 1.0);
    gl_PointSize = 1.0 + float(gl_InstanceIndex & 3);
    gl_ClipDistance[0] = gl_Position.x + 0.5;
    gl_ClipDistance[1] = 0.5 - gl_Position.y;
    instance = uint(gl_InstanceIndex);
}
