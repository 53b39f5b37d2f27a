#version 450
layout(location = 0) flat in TYPE value;
layout(location = 0) out TYPE out_value;
void main()
{
    out_value = value;
}
