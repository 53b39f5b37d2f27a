/* Functions of one number that are C and GLSL at once: the test runs them on the CPU and, translated from SPIR-V, in
 * the interpreter. Each is a shape of control flow. `ARRAY(type, name, n)` and `INOUT` are what the two languages write
 * differently. */

uint p_if(uint x)
{
    uint r = 1u;
    if (x % 3u == 0u)
        r = x * 2u;
    else if (x % 3u == 1u)
        r += 7u;
    return r;
}

uint p_early_return(uint x)
{
    if (x < 4u)
        return 100u + x;
    if (x > 50u)
        return x * x;
    uint r = x ^ 0x55u;
    if ((x & 1u) != 0u) {
        if (x > 20u)
            return r + 1u;
        r *= 3u;
    }
    return r;
}

uint p_loop(uint x)
{
    uint sum = 0u;
    for (uint i = 0u; i < x; i++) {
        if (i % 4u == 3u)
            continue;
        if (i > 40u)
            break;
        sum += i * i;
    }
    return sum;
}

uint p_nested_break(uint x)
{
    uint n = 0u;
    for (uint i = 0u; i < 8u; i++) {
        for (uint j = 0u; j < 8u; j++) {
            if (j == x % 5u)
                break;
            if (i + j == 11u)
                continue;
            n += i * 10u + j;
        }
        if (n > x * 9u)
            break;
        n++;
    }
    return n;
}

uint p_return_from_loops(uint x)
{
    uint n = 3u;
    for (uint i = 0u; i < 10u; i++) {
        for (uint j = 0u; j < 10u; j++) {
            n += i ^ j;
            if (n > 5u * x)
                return n + 1000u * i + 100u * j;
        }
        if (n == 77u)
            return 9999u;
    }
    return n;
}

uint p_switch(uint x)
{
    uint r = 0u;
    switch (x % 8u) {
    case 0u:
        r = 5u;
        break;
    case 1u:
    case 2u:
        r = x + 1u;
        break;
    case 5u:
        r = 17u;
        break;
    default:
        r = x;
        break;
    }
    return r;
}

uint p_fall_through(uint x)
{
    uint r = x;
    switch (int(x % 7u)) {
    case 0:
        r += 1u;
    case 1:
        r += 10u;
    case 2:
        r += 100u;
        break;
    case 3:
        r = 3u;
    default:
        r += 1000u;
    case 5:
        r += 5u;
    }
    return r;
}

uint p_switch_in_loop(uint x)
{
    uint n = 0u;
    for (uint i = 0u; i < 20u; i++) {
        switch ((i + x) % 6u) {
        case 0u:
            continue;
        case 1u:
            n += 3u;
            break;
        case 2u:
            if (n > 40u)
                return n + 500u;
            n += i;
        case 3u:
            n++;
            if (i == 13u)
                continue;
            n++;
            break;
        case 4u:
            if (x % 2u == 0u)
                break;
            n += 2u;
            break;
        default:
            n ^= 1u;
            break;
        }
        n += 10u;
    }
    return n;
}

uint p_break_nested_switch(uint x)
{
    uint n = 1u;
    switch (x % 3u) {
    case 0u:
        switch (x % 4u) {
        case 0u:
            n = 10u;
            break;
        case 1u:
            return 4u;
        default:
            if (x > 30u)
                break;
            n = 20u;
        }
        n++;
        break;
    case 1u:
        for (uint i = 0u; i < 9u; i++) {
            if (i == x % 11u)
                break;
            n += i;
        }
        if (n > 10u)
            break;
        n += 100u;
        break;
    default:
        if (n != x) {
            if (x % 2u == 1u)
                break;
            n = 60u;
        }
        n += 3u;
    }
    return n + x;
}

uint p_while(uint x)
{
    uint n = x + 1u, steps = 0u;
    while (n != 1u && steps < 60u) {
        n = (n % 2u == 0u) ? n / 2u : 3u * n + 1u;
        steps++;
    }
    return steps * 1000u + n % 1000u;
}

uint p_do_while(uint x)
{
    uint n = x, i = 0u;
    do {
        i++;
        if (n % 5u == 2u)
            continue;
        n += 3u;
        if (n > 200u)
            break;
    } while (i < x % 17u);
    return n * 100u + i;
}

uint p_short_circuit(uint x)
{
    uint n = 0u;
    for (uint i = 1u; i < 12u; i++) {
        if (x % i == 0u && (i & 2u) != 0u || x > 40u && i == 5u)
            n += i;
        n += (i > x && x != 3u) ? 1u : 2u;
    }
    return n;
}

uint helper_twice(uint x)
{
    if (x > 9u)
        return x - 9u;
    return x * 2u;
}

uint helper_calls(uint x, uint depth)
{
    uint n = 0u;
    for (uint i = 0u; i < depth; i++) {
        n += helper_twice(x + i);
        if (n > 50u)
            return n;
    }
    return n + 1u;
}

uint p_calls(uint x)
{
    uint a = helper_calls(x, 4u), b = helper_twice(a);
    if (helper_twice(b) > 12u)
        b += helper_calls(b % 7u, 3u);
    return a * 1000u + b;
}

uint p_array(uint x)
{
    ARRAY(uint, a, 8);
    for (uint i = 0u; i < 8u; i++)
        a[i] = i * x;
    for (uint i = 0u; i < 8u; i++) {
        uint j = (i * 5u + x) % 8u;
        uint t = a[i];
        a[i] = a[j];
        a[j] = t;
    }
    uint n = 0u;
    for (uint i = 0u; i < 8u; i++)
        n = n * 3u + a[i];
    return n;
}

uint p_swap(uint x)
{
    uint a = 1u, b = x;
    for (uint i = 0u; i < x % 9u; i++) {
        uint t = a;
        a = b;
        b = t + 1u;
    }
    return a * 100u + b;
}

uint p_value_after_loop(uint x)
{
    uint last = 0u, i;
    for (i = 0u;; i++) {
        last = i * i + x;
        if (last > 70u)
            break;
        if (i == 6u)
            return 6u;
    }
    return last * 10u + i;
}

uint p_continue_in_inner_switch(uint x)
{
    uint n = 0u;
    for (uint i = 0u; i < 6u; i++) {
        for (uint j = 0u; j < 4u; j++) {
            switch ((i * j + x) % 4u) {
            case 0u:
                n += 1u;
                continue;
            case 1u:
                if (n % 3u == 0u) {
                    n += 2u;
                    break;
                }
                n += 4u;
            default:
                n += 8u;
            }
            n += j;
        }
        if (n > 90u)
            return n;
    }
    return n + 5000u;
}

uint p_many_cases(uint x)
{
    uint n = 0u;
    for (uint i = 0u; i < 3u; i++) {
        switch ((x + i * 5u) % 24u) {
        case 0u: n += 1u; break;
        case 1u: n += 2u; break;
        case 2u: n += 3u;
        case 3u: n += 5u; break;
        case 4u: n += 8u; continue;
        case 5u: n += 13u; break;
        case 6u: n ^= 21u; break;
        case 7u: n += 34u; break;
        case 8u: return n + 55u;
        case 9u: n += 89u; break;
        case 10u: n += 144u; break;
        case 11u: n += 233u; break;
        case 12u: n += 377u; break;
        case 13u: n += 610u; break;
        case 14u: n += 987u; break;
        case 15u: n += 1597u; break;
        case 16u: n += 2584u; break;
        case 17u: n += 4181u; break;
        case 18u: n += 6765u; break;
        default: n = n * 3u + 1u; break;
        }
        n += i;
    }
    return n;
}

uint p_infinite(uint x)
{
    uint n = x;
    for (;;) {
        n = n * 5u + 3u;
        if ((n & 15u) == (x & 7u))
            return n;
        if (n > 100000u)
            break;
    }
    return n ^ 1u;
}

uint p_out(uint x)
{
    uint q = 3u, r = 0u;
    OUT_CALL(divide, x, 7u, q, r);
    if (x > 5u)
        OUT_CALL(divide, q * 50u, x, q, r);
    return q * 100u + r;
}
