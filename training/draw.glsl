#version 330
// One picture of dice on a table: for every pixel the light that comes along its ray, and which die it shows.
// Lengths are die edges of the scene; the table top is z = 0. What a texel of `dice` holds is written in draw.py.
uniform vec2 principal_px;      // where the optical axis meets the picture, y downwards
uniform float focal_px;
uniform vec3 eye;
uniform mat3 R_world_camera;    // columns: the camera's right, down and ahead
uniform int die_count;
uniform sampler2D dice;
uniform sampler2D table;
uniform mat2 table_uv;
uniform float table_gloss;
uniform vec4 wall;              // centre xy and half width, half height of the tray
uniform float wall_height;
uniform vec3 wall_rgb;
uniform int lamp_count;
uniform vec3 lamp_at[3];
uniform vec3 lamp_rgb[3];
uniform float lamp_hardness[3];
uniform vec3 sky_rgb;
uniform vec4 windows[3];        // bright patches of the room that gloss mirrors: direction, cosine of the half angle
uniform vec4 window_along[3];   // the way they are long, the sine of half the angle of their length
uniform float window_power[3];
out vec4 seen;
out vec4 which;

vec4 texel(int die, int i) { return texelFetch(dice, ivec2(i, die), 0); }

float hash(vec3 p) { return fract(sin(dot(p, vec3(12.9898, 78.233, 37.719))) * 43758.5453); }
float noise(vec3 p) {
    vec3 i = floor(p), f = fract(p); f = f * f * (3. - 2. * f);
    return mix(mix(mix(hash(i), hash(i + vec3(1,0,0)), f.x),
                   mix(hash(i + vec3(0,1,0)), hash(i + vec3(1,1,0)), f.x), f.y),
               mix(mix(hash(i + vec3(0,0,1)), hash(i + vec3(1,0,1)), f.x),
                   mix(hash(i + vec3(0,1,1)), hash(i + vec3(1,1,1)), f.x), f.y), f.z);
}

float die_distance(vec3 p, vec3 half_sides, float radius, float sphere) {
    vec3 q = abs(p) - (half_sides - radius);
    float d = length(max(q, 0.)) + min(max(q.x, max(q.y, q.z)), 0.) - radius;
    return sphere > 0. ? max(d, length(p) - sphere) : d;
}

vec3 die_normal(vec3 p, vec3 half_sides, float radius, float sphere) {
    vec2 e = vec2(.004, 0.);
    float d = die_distance(p, half_sides, radius, sphere);
    return normalize(vec3(die_distance(p + e.xyy, half_sides, radius, sphere),
                          die_distance(p + e.yxy, half_sides, radius, sphere),
                          die_distance(p + e.yyx, half_sides, radius, sphere)) - d);
}

mat3 R_die_world(int die) { return transpose(mat3(texel(die, 1).xyz, texel(die, 2).xyz, texel(die, 3).xyz)); }

vec3 half_sides(int die) { return texel(die, 10).xyz; }  // in its edges; of a die, but not of a box, all are a half
float ball(int die) { return length(half_sides(die)) * texel(die, 0).w; }  // radius of one around it

// Where the ray meets die number `die`, in lengths of the ray, or -1.
float meet_die(int die, vec3 from, vec3 along, float furthest) {
    vec4 at = texel(die, 0);
    vec3 away = from - at.xyz;
    float b = dot(away, along), c = dot(away, away) - ball(die) * ball(die), h = b * b - c;
    if (h < 0. || -b + sqrt(h) < 0. || -b - sqrt(h) > furthest) return -1.;
    mat3 R = R_die_world(die);
    vec3 p = R * away / at.w, v = R * along;
    float t = max(0., (-b - sqrt(h)) / at.w), end = (-b + sqrt(h)) / at.w;
    vec3 sides = half_sides(die);
    float radius = texel(die, 1).w, sphere = texel(die, 2).w;
    for (int i = 0; i < 28 && t < end; i++) {
        float d = die_distance(p + v * t, sides, radius, sphere);
        if (d < .002) return t * at.w;
        t += d;
    }
    return -1.;
}

// How much of a lamp is seen from `from`: 0 in the full shadow of a die.
float lit(vec3 from, vec3 to, float hardness, int own) {
    float seen = 1.;
    for (int die = 0; die < die_count; die++) {
        if (die == own) continue;
        vec4 at = texel(die, 0);
        vec3 away = from - at.xyz;
        float b = dot(away, to), reach = ball(die) + 2.5 / hardness * at.w;
        float h = b * b - dot(away, away) + reach * reach;
        if (h < 0. || -b + sqrt(h) < 0.) continue;
        mat3 R = R_die_world(die);
        vec3 p = R * away / at.w, v = R * to;
        float t = max(.02, (-b - sqrt(h)) / at.w), end = (-b + sqrt(h)) / at.w;
        vec3 sides = half_sides(die);
        float radius = texel(die, 1).w, sphere = texel(die, 2).w;
        for (int i = 0; i < 16 && t < end; i++) {
            float d = die_distance(p + v * t, sides, radius, sphere);
            seen = min(seen, .5 + .5 * hardness * d / t);
            if (seen < .02) break;
            t += clamp(abs(d), .04, .4);
        }
    }
    seen = clamp(seen, 0., 1.);
    return seen * seen * (3. - 2. * seen);
}

float open_sky(vec3 from, vec3 normal, int own) {
    float open = 1.;
    for (int die = 0; die < die_count; die++) {
        if (die == own) continue;
        vec4 at = texel(die, 0);
        vec3 p = from + normal * .15 - at.xyz;
        if (dot(p, p) > 5.4 * ball(die) * ball(die)) continue;
        float d = die_distance(R_die_world(die) * p / at.w, half_sides(die), texel(die, 1).w, texel(die, 2).w);
        open *= 1. - .55 * exp(-5. * max(0., d));
    }
    if (own >= 0) open *= .55 + .45 * clamp(.3 + .7 * from.z + normal.z, 0., 1.);
    return open;
}

vec3 mirrored(vec3 direction, float rough) {
    vec3 room = sky_rgb * (.25 + .75 * smoothstep(-.2, .9, direction.z));
    for (int i = 0; i < 3; i++) {
        vec3 along = window_along[i].xyz;
        float reach = window_along[i].w, half_sine = sqrt(1. - windows[i].w * windows[i].w);
        vec3 across = normalize(direction - clamp(dot(direction, along), -reach, reach) * along);
        // What is blurred spreads over more of the mirror and is fainter there.
        float blur = min(rough, .3) * half_sine + .02 * (1. - windows[i].w) + .002;
        room += window_power[i] * sky_rgb * smoothstep(windows[i].w - blur, windows[i].w + .3 * blur, dot(across, windows[i].xyz));
    }
    return room;
}

float pip_distance(int face, vec2 uv, float spread, float six, bool turned, out vec2 offset) {
    if (turned) uv = vec2(uv.y, -uv.x);
    float best = 9.;
    for (int a = -1; a <= 1; a++) for (int b = -1; b <= 1; b++) {
        bool corner = a * b != 0;
        bool there = a == 0 && b == 0 ? face % 2 == 1
            : corner ? (face >= 4 || (face >= 2 && a == b)) : face == 6 && b == 0;
        vec2 d = uv - spread * vec2(face == 6 ? six * float(a) : float(a), b);
        if (there && length(d) < best) { best = length(d); offset = d; }
    }
    if (turned) offset = vec2(-offset.y, offset.x);
    return best;
}

// The table's own colour; the level of detail is said outright, for neighbouring rays do not always come here.
vec3 table_rgb(vec2 xy, float far) {
    return textureLod(table, table_uv * xy, log2(max(1., far / focal_px * abs(table_uv[0][0]) * 512.))).rgb;
}

vec3 shade(vec3 at, vec3 normal, vec3 view, vec3 colour, float gloss, float rough, float own_shadow, int own) {
    vec3 light = sky_rgb * colour * open_sky(at, normal, own) * (.6 + .4 * normal.z), bounce = reflect(view, normal);
    for (int i = 0; i < lamp_count; i++) {
        vec3 to = normalize(lamp_at[i] - at);
        float cosine = dot(normal, to);
        if (cosine <= 0.) continue;
        float open = lit(at + normal * .01, to, lamp_hardness[i], own);
        float shine = pow(max(0., dot(bounce, to)), 2. / (rough * rough + .002)) * gloss / (rough + .05);
        light += lamp_rgb[i] * open * own_shadow * (colour * cosine + shine);
    }
    float fresnel = gloss * (.05 + .95 * pow(1. - max(0., dot(-view, normal)), 5.));
    return light + fresnel * mirrored(bounce, rough) * (own >= 0 ? 1. : open_sky(at, normal, own));
}

vec3 die_light(int die, vec3 at, vec3 view, out float face_up) {
    vec4 where = texel(die, 0), bits = texel(die, 8), more = texel(die, 9);
    mat3 R = R_die_world(die);
    vec3 p = R * (at - where.xyz) / where.w, a = abs(p);
    vec3 normal = die_normal(p, half_sides(die), texel(die, 1).w, texel(die, 2).w);
    int face; vec2 uv; vec3 u, v;
    if (a.x > a.y && a.x > a.z) { face = p.x > 0. ? 3 : 4; uv = p.yz; u = vec3(0,1,0); v = vec3(0,0,1); }
    else if (a.y > a.z) { face = p.y > 0. ? 2 : 5; uv = p.xz; u = vec3(1,0,0); v = vec3(0,0,1); }
    else { face = p.z > 0. ? 1 : 6; uv = p.xy; u = vec3(1,0,0); v = vec3(0,1,0); }
    face_up = float(face);
    int turned = int(bits.w);
    vec2 offset = vec2(0.);
    float r = face == 1 ? texel(die, 4).w : texel(die, 3).w, depth = texel(die, 6).w;
    float six = texel(die, 10).w;
    float d = pip_distance(face, uv, texel(die, 5).w, six, (turned >> (face - 1)) % 2 == 1, offset);
    float cloud = noise(p * texel(die, 7).w + more.z * 17.) * .65 + noise(p * 2.3 * texel(die, 7).w + more.z) * .35;
    vec3 colour = mix(texel(die, 4).rgb, texel(die, 5).rgb, smoothstep(.42, .58, cloud));
    colour *= 1. + more.y * (noise(p * 40. + more.z) - .5);
    // A One that is a star or a flower.
    if (face == 1 && more.w > 0.) d -= r * .35 * cos(more.w * atan(offset.y, offset.x));
    float in_pip = 1. - smoothstep(r - .012, r + .012, d);
    if (more.x > 0.) in_pip *= smoothstep(r * more.x - .012, r * more.x + .012, d);        // pips drawn as rings
    vec3 paint = face == 1 ? texel(die, 7).rgb : texel(die, 6).rgb;
    float shadow = 1., gloss = bits.x;
    // No face is quite plane: it sinks towards its pips, and moulds and polish leave it wavy.
    vec2 surface = texel(die, 11).xy;
    if (surface.x > 0. && d >= r && d < .3)
        normal = normalize(normal - surface.x * exp((r - d) / .05) * (offset.x * u + offset.y * v) / d);
    if (surface.y > 0.) {
        vec3 q = p * 5. + more.z * 11.;
        normal = normalize(normal + surface.y * (vec3(noise(q), noise(q + 31.), noise(q + 57.)) - .5));
    }
    if (d < r && depth > 0.) {
        float slope = depth * 2. / r;
        vec3 dent = normalize(normal - slope * (offset.x * u + offset.y * v) / r);
        normal = mix(normal, dent, in_pip);
        shadow = mix(1., .75, in_pip * min(1., 2. * slope));
    }
    vec3 world_normal = normal * R;
    colour = mix(colour, paint, in_pip);
    float clear = bits.z * (1. - in_pip);
    if (clear > 0.) {
        vec3 into = refract(view, world_normal, .7);
        float t = max(0., -at.z / min(into.z, -.05));
        vec3 through = table_rgb((at + into * t).xy, length(at - eye)) * sky_rgb * 1.5;
        vec3 body = shade(at, world_normal, view, colour, gloss, bits.y, shadow, die);
        return mix(body, colour * (.4 + 1.2 * through), clear);
    }
    return shade(at, world_normal, view, colour, gloss, bits.y, shadow, die);
}

vec3 along_px(vec2 px) { return normalize(R_world_camera * vec3((px - principal_px) / focal_px, 1.)); }

// The light that comes along one ray, and which die (from 1) shows which face.
vec3 look(vec3 along, out vec2 what) {
    float nearest = along.z < -.001 ? -eye.z / along.z : 200.;
    int hit = -1; bool on_wall = false; vec3 wall_normal = vec3(0.);
    for (int die = 0; die < die_count; die++) {
        float t = meet_die(die, eye, along, nearest);
        if (t >= 0. && t < nearest) { nearest = t; hit = die; }
    }
    // The four walls: the inside of a box whose lid is open, seen from above its rim.
    if (wall_height > 0.) {
        for (int side = 0; side < 4; side++) {
            int axis = side / 2; float sign_ = side % 2 == 0 ? 1. : -1.;
            float inner = wall[axis] + sign_ * wall[2 + axis];
            for (int skin = 0; skin < 2; skin++) {  // 0: the inner face, 1: the rim on top
                float t = skin == 0 ? (inner - eye[axis]) / along[axis] : (wall_height - eye.z) / along.z;
                vec3 p = eye + along * t;
                bool inside = skin == 0 ? p.z > 0. && p.z < wall_height && sign_ * along[axis] > 0.
                    : sign_ * (p[axis] - inner) > 0. && sign_ * (p[axis] - inner) < .4;
                float other = p[1 - axis] - wall[1 - axis];
                if (t > 0. && t < nearest && inside && abs(other) < wall[3 - axis] + .4) {
                    nearest = t; hit = -1; on_wall = true; wall_normal = vec3(0., 0., 1.);
                    if (skin == 0) { wall_normal = vec3(0.); wall_normal[axis] = -sign_; }
                }
            }
        }
    }
    vec3 at = eye + along * nearest;
    float face = 0.;
    vec3 light;
    if (on_wall) light = shade(at, wall_normal, along, wall_rgb * (.8 + .4 * noise(at * 3.)), .1, .4, 1., -1);
    else if (hit >= 0) light = die_light(hit, at, along, face);
    else if (nearest < 200.)
        light = shade(at, vec3(0., 0., 1.), along, table_rgb(at.xy, nearest), table_gloss, .35, 1., -1);
    else light = sky_rgb;
    what = vec2(on_wall ? 0. : float(hit + 1), face);
    return light;
}

bool near_die(vec3 along) {
    for (int die = 0; die < die_count; die++) {
        vec4 at = texel(die, 0);
        if (length(cross(along, at.xyz - eye)) < 1.1 * ball(die)) return true;
    }
    return false;
}

// Four rays a pixel where dice are, one elsewhere.
void main() {
    vec2 what, unused;
    vec3 along = along_px(gl_FragCoord.xy);
    vec3 light = look(along, what);
    if (near_die(along)) {
        light = vec3(0.);
        for (int i = 0; i < 4; i++) {
            vec2 off = i == 0 ? vec2(-.125, -.375) : i == 1 ? vec2(.375, -.125)
                : i == 2 ? vec2(.125, .375) : vec2(-.375, .125);
            light += min(look(along_px(gl_FragCoord.xy + off), unused), vec3(8.)) / 4.;
        }
    }
    seen = vec4(light, 1.);
    which = vec4(what, 0., 1.);
}
