cv_cmp_lt_f32 vcc, v1, v2
v_cndmask_b32 v0, v1, v2, s[4:5]
v_div_scale_f64 v[0:1], vcc, v[2:3], v[2:3], v[4:5]
