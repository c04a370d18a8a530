# What is asked for of a tile, and the arrays of its meshes. GDScript that Godot 3 and 4 both read; what they name differently is done by
# `host`, the node of godot3 or godot4.
extends Resource

var host
var samples = 65
var materials = [] # colours
var prefix = "" # of paths
var suffix = ""
var fault = ""
var indices = null


# What /world says, parsed.
func use_world(world, world_name, recipe):
	prefix = "/tile/" + world_name
	suffix = "&size=%d&v=%d" % [samples, int(world["generator"])]
	if recipe != "":
		suffix += "&recipe=" + recipe
	var cover = world.get("cover")
	if typeof(cover) == TYPE_ARRAY:
		for material in cover:
			materials.append(host.colour(material["colour"]))


# The body of POST /tiles for a tile.
func request(key):
	var layers = ["f32?layer=height", "f32?layer=surface", "f32?layer=normal"]
	for band in range(int(ceil(materials.size() / 4.0))):
		layers.append("rgba8?layer=cover&bands=%d" % band)
	var paths = []
	for layer in layers:
		paths.append("\"%s/%s.%s%s\"" % [prefix, key, layer, suffix])
	var text = ""
	for path in paths:
		text += path if text == "" else ", " + path
	return "{\"tiles\": [" + text + "]}"


static func _u32(bytes, at):
	return bytes[at] + 256 * (bytes[at + 1] + 256 * (bytes[at + 2] + 256 * bytes[at + 3]))


# The frames of the answer: a tile's layers, or null of what is cut off, refused or of another size (`fault`).
func parse(bytes):
	fault = "an answer that is no tile"
	var count = samples * samples
	var sizes = [4 * count, 4 * count, 12 * count]
	for band in range(int(ceil(materials.size() / 4.0))):
		sizes.append(4 * count)
	var parts = []
	for size in sizes:
		parts.append(null)
	var at = 0
	while at + 12 <= bytes.size():
		var index = _u32(bytes, at)
		var status = _u32(bytes, at + 4)
		var size = _u32(bytes, at + 8)
		if index == 4294967295:
			for part in parts:
				if part == null:
					return null
			return parts
		if index >= sizes.size() or at + 12 + size > bytes.size():
			return null
		if status != 200:
			fault = "%d: %s" % [status, host.text(host.part(bytes, at + 12, size))]
			return null
		if size != sizes[index]:
			return null
		parts[index] = host.part(bytes, at + 12, size)
		at += 12 + size
	return null


# Of what came of a tile its meshes' arrays; runs in a thread. Keys: heights, ground, water (null: there is none). Null: it is no tile.
func build(parts, spacing, skirt):
	var heights = host.floats(parts[0])
	var surface = host.floats(parts[1])
	var normals = host.floats(parts[2])
	var n = samples
	for i in range(n * n):
		if not (abs(heights[i]) < 1e6 and abs(surface[i]) < 1e6): # NaN is not, either
			return null
	return {"heights": heights, "ground": _ground(spacing, skirt, heights, normals, parts), "water": _water(spacing, heights, surface)}


# A vertex of a skirt hangs below that of the edge.
func _rim(k):
	var n = samples
	var side = int(k / n)
	var i = k % n
	if side == 0:
		return i
	if side == 1:
		return i * n + n - 1
	if side == 2:
		return (n - 1) * n + i
	return i * n


func _ground(spacing, skirt, heights, normals, parts):
	var n = samples
	var places = host.vectors(n * n + 4 * n)
	var ups = host.vectors(n * n + 4 * n)
	var painted = _colours(parts)
	for i in range(n * n):
		places[i] = Vector3((i % n) * spacing, heights[i], int(i / n) * spacing)
		ups[i] = Vector3(normals[3 * i], normals[3 * i + 2], normals[3 * i + 1]) # (east, south, up)
	for k in range(4 * n):
		var i = _rim(k)
		places[n * n + k] = places[i] - Vector3(0, skirt, 0)
		ups[n * n + k] = ups[i]
		painted[n * n + k] = painted[i]
	return [places, ups, painted]


# Of each vertex its materials' colours, as much of each as it weighs; weights are bytes that sum to 255.
func _colours(parts):
	var out = host.colours(samples * samples + 4 * samples)
	var each = []
	for material in materials:
		each.append(material * (1.0 / 255.0))
	while each.size() % 4 != 0:
		each.append(Color(0, 0, 0, 0))
	for i in range(samples * samples):
		out[i] = Color(0, 0, 0, 0) if each.size() > 0 else Color(0.5, 0.5, 0.5)
	for band in range(int(each.size() / 4)):
		var weights = parts[3 + band]
		for i in range(samples * samples):
			var mixed = out[i]
			for m in range(4):
				var weight = weights[4 * i + m]
				if weight > 0:
					mixed += each[4 * band + m] * weight
			out[i] = mixed
	return out


# Where water stands: its surface, with the corners on land that its triangles reach to; null where there is none.
func _water(spacing, heights, surface):
	var n = samples
	var list = []
	for j in range(n - 1):
		for i in range(n - 1):
			var a = j * n + i
			if surface[a] > heights[a] or surface[a + 1] > heights[a + 1] or surface[a + n] > heights[a + n] or surface[a + n + 1] > heights[a + n + 1]:
				list.append(a)
	if list.size() == 0:
		return null
	var places = host.vectors(n * n)
	var ups = host.vectors(n * n)
	for i in range(n * n):
		places[i] = Vector3((i % n) * spacing, surface[i], int(i / n) * spacing)
		ups[i] = Vector3(0, 1, 0)
	var out = host.ints(6 * list.size())
	var at = 0
	for a in list:
		for corner in [a, a + 1, a + n, a + 1, a + n + 1, a + n]:
			out[at] = corner
			at += 1
	return [places, ups, out]


# Of the ground of every tile: its squares, each two triangles that are clockwise from above, and skirts, which are seen from both sides. Made once.
# (Godot 3 hands such arrays on by value: they are filled where they are made.)
func ground_indices():
	if indices != null:
		return indices
	var n = samples
	var out = host.ints(6 * (n - 1) * (n - 1) + 48 * (n - 1))
	var at = 0
	for k in range((n - 1) * (n - 1)):
		var a = int(k / (n - 1)) * n + k % (n - 1)
		for corner in [a, a + 1, a + n, a + 1, a + n + 1, a + n]:
			out[at] = corner
			at += 1
	for side in range(4):
		for i in range(n - 1):
			var low = n * n + side * n + i
			var high = _rim(side * n + i)
			var next_high = _rim(side * n + i + 1)
			for corner in [high, next_high, low, next_high, low + 1, low, high, low, next_high, next_high, low, low + 1]:
				out[at] = corner
				at += 1
	indices = out
	return indices
