# Which tiles are wanted around a place, and which of them are shown. GDScript that Godot 3 and 4 both read.
extends Resource

var tile_m = 256.0 # of level 0
var samples = 65 # to a side of a tile's mesh, 2^k + 1
var reach_m = 8192.0
var detail = 1.5 # a tile nearer than its side times this is shown as its four finer ones
var finest = 0
var coarsest = 0
var errors_m = [] # how far a level may be from finer ones
var tiles = {} # key to tile: those that are ready, or on their way
var wanted = {} # key to urgency, less is more urgent
var kept = {}
var cancelled = 0


static func key_of(lod, x, y):
	return "%d/%d/%d" % [lod, x, y]


# What /world says of levels. As coarse as it takes to have few tiles within reach.
func use_levels(levels):
	tile_m = float(levels[0]["tile_m"])
	for level in levels:
		errors_m.append(float(level["geometric_error_m"]))
	coarsest = finest
	while side_m(coarsest) < reach_m and coarsest + 3 < errors_m.size():
		coarsest += 1


func side_m(lod):
	return tile_m * float(1 << lod)


func spacing_m(lod):
	return side_m(lod) / float(samples - 1)


# How deep skirts hang: as far as levels next to each other may be apart, and what they miss between samples.
func skirt_m(lod):
	return errors_m[int(min(lod + 2, errors_m.size() - 1))] + 4.0 * spacing_m(lod)


# Called with the place that is looked from, metres of the world, and how high over ground: which requests to cancel and which tiles to let go.
func plan(x, y, above):
	wanted = {}
	kept = {}
	var side = side_m(coarsest)
	for out in [[wanted, 1.0], [kept, 1.25]]:
		var reach = reach_m * out[1]
		for ty in range(int(floor((y - reach) / side)), int(floor((y + reach) / side)) + 1):
			for tx in range(int(floor((x - reach) / side)), int(floor((x + reach) / side)) + 1):
				_visit(out[0], out[1], coarsest, tx, ty, x, y, above)
	var gone = []
	for key in tiles.keys():
		if not kept.has(key):
			gone.append(key)
			if not tiles[key]["ready"]:
				cancelled += 1
			tiles.erase(key)
	return gone


# Looked from a place in metres, which a Vector3 would round.
func _visit(out, slack, lod, x, y, from_x, from_y, above):
	var side = side_m(lod)
	var dx = max(max(x * side - from_x, from_x - (x + 1) * side), 0.0)
	var dy = max(max(y * side - from_y, from_y - (y + 1) * side), 0.0)
	var distance = max(sqrt(dx * dx + dy * dy), above)
	if sqrt(dx * dx + dy * dy) > reach_m * slack:
		return
	out[key_of(lod, x, y)] = (coarsest - lod) * 1000000.0 + distance / side
	if lod > finest and distance < detail * slack * side:
		for k in range(4):
			_visit(out, slack, lod - 1, 2 * x + k % 2, 2 * y + (k >> 1), from_x, from_y, above)


# The most urgent tile that is not asked for yet, or "": coarse ones first, since they stand in for all that they cover.
func next():
	var best = ""
	for key in wanted.keys():
		if not tiles.has(key) and (best == "" or wanted[key] < wanted[best]):
			best = key
	if best != "":
		var numbers = best.split("/")
		tiles[best] = {"lod": int(numbers[0]), "x": int(numbers[1]), "y": int(numbers[2]), "ready": false}
	return best


func failed(key):
	if tiles.has(key) and not tiles[key]["ready"]:
		tiles.erase(key)


# Whether everything that is wanted is there.
func is_whole():
	for key in wanted.keys():
		if not tiles.has(key) or not tiles[key]["ready"]:
			return false
	return wanted.size() > 0


# Keys of tiles to show: the finest there are, each place by one; four finer tiles take over once all of them are ready.
func shown():
	var out = []
	for key in wanted.keys():
		if key.begins_with("%d/" % coarsest):
			var numbers = key.split("/")
			_show(out, coarsest, int(numbers[1]), int(numbers[2]))
	return out


func _show(out, lod, x, y):
	var key = key_of(lod, x, y)
	var finer = []
	var whole = lod > finest
	if whole:
		for k in range(4):
			var cx = 2 * x + k % 2
			var cy = 2 * y + (k >> 1)
			if not wanted.has(key_of(lod - 1, cx, cy)) or not _show(finer, lod - 1, cx, cy):
				whole = false
	var ready = tiles.has(key) and tiles[key]["ready"]
	if ready and not whole:
		out.append(key)
	else:
		for each in finer:
			out.append(each)
	return ready or whole


# The ground's height at a place, metres, as the finest mesh that is ready has it; null where none is.
func height_at(x, y):
	for lod in range(finest, coarsest + 1):
		var side = side_m(lod)
		var tx = int(floor(x / side))
		var ty = int(floor(y / side))
		var key = key_of(lod, tx, ty)
		if tiles.has(key) and tiles[key]["ready"]:
			return _in_tile(tiles[key]["heights"], (x - tx * side) / spacing_m(lod), (y - ty * side) / spacing_m(lod))
	return null


func _in_tile(heights, u, v):
	var n = samples
	var i = int(min(u, n - 2))
	var j = int(min(v, n - 2))
	u -= i
	v -= j
	var b = heights[j * n + i + 1]
	var c = heights[(j + 1) * n + i]
	if u + v <= 1.0:
		var a = heights[j * n + i]
		return a + u * (b - a) + v * (c - a)
	var d = heights[(j + 1) * n + i + 1]
	return d + (1.0 - u) * (c - d) + (1.0 - v) * (b - d)
