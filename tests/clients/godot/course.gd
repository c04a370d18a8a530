# For the test: streams around places, one after the other, and tells what is shown then. GDScript that Godot 3 and 4 both read; what they name
# differently is done by `host`, the drive.gd of either: bytes_of(array), hit(from, to), deliver(told).
extends Resource

var host
var terrain
var eye
var stops = []
var stop = null
var out = []
var trouble = 0
var covered = false # once it is, it stays so
var holes = 0
var settling = 0 # frames of the physics, until what was added last is hit


func begin(given):
	eye.name = "eye"
	for name in given["set"].keys():
		terrain.set(name, given["set"][name])
	terrain.origin = Vector2(given["at"][0], given["at"][1])
	terrain.follow = NodePath("../eye")
	stops = given["stops"]


func on_trouble(text):
	trouble += 1
	print("trouble: ", text)


func _go():
	stop = stops.pop_front()
	if stop == null:
		host.deliver(out)
		return
	eye.transform.origin = Vector3(stop["x"], stop["y"], stop["z"])
	terrain.stream.replan(eye.transform.origin)
	covered = false
	holes = 0
	settling = 0


func step(frame):
	if terrain.stream.world == null:
		return
	if stop == null:
		_go()
	elif terrain.stream.flying.size() > 0 and stop.has("hurry"):
		_go()
	elif terrain.stream.flying.size() > 0 and stop.has("moved"):
		stop.erase("moved")
		_move()
	else:
		if frame % 16 == 0:
			var now = _holes()
			covered = covered or now == 0
			holes += now if covered else 0
		if not terrain.is_whole():
			settling = 0
		elif settling > 3:
			_tell()
			_go()


# Out of the tree, and into it again, as for another parent.
func _move():
	var parent = terrain.get_parent()
	parent.remove_child(terrain)
	parent.add_child(terrain)


# Of a grid over what is near, the places over which other than one tile is visible.
func _holes():
	var visible = []
	for key in terrain.stream.nodes.keys():
		if terrain.stream.nodes[key].visible:
			var tile = terrain.stream.tiles.tiles[key]
			visible.append([terrain.stream.tiles.side_m(tile["lod"]), tile["x"], tile["y"]])
	var count = 0
	for k in range(81):
		var x = terrain.stream.place_x + eye.transform.origin.x + (k % 9 - 4) * 0.15 * terrain.reach_m
		var y = terrain.stream.place_y + eye.transform.origin.z + (int(k / 9.0) - 4) * 0.15 * terrain.reach_m
		var over = 0
		for each in visible:
			over += int(floor(x / each[0]) == each[1] and floor(y / each[0]) == each[2])
		count += int(over != 1)
	return count


func _tell():
	var told = {"holes": holes, "cancelled": terrain.stream.tiles.cancelled, "trouble": trouble, "place": [terrain.stream.place_x, terrain.stream.place_y],
		"nodes": terrain.stream.nodes.size(), "tiles": [], "rays": [], "version": Engine.get_version_info()["string"]}
	out.append(told)
	for key in terrain.stream.nodes.keys():
		var node = terrain.stream.nodes[key]
		if node.visible:
			var surfaces = []
			for k in range(node.mesh.get_surface_count()):
				var arrays = node.mesh.surface_get_arrays(k)
				surfaces.append([])
				for each in [ArrayMesh.ARRAY_VERTEX, ArrayMesh.ARRAY_NORMAL, ArrayMesh.ARRAY_COLOR, ArrayMesh.ARRAY_INDEX]:
					surfaces[-1].append(Marshalls.raw_to_base64(host.bytes_of(arrays[each])) if arrays[each] != null else null)
			var at = node.transform.origin
			told["tiles"].append({"key": key, "skirt": terrain.stream.tiles.tiles[key]["skirt"], "at": [at.x, at.z], "surfaces": surfaces})
	for k in range(200):
		var x = eye.transform.origin.x + fmod(k * 37.31, 200.0) - 100.0
		var z = eye.transform.origin.z + fmod(k * 53.77, 200.0) - 100.0
		var hit = host.hit(Vector3(x, 9000, z), Vector3(x, -9000, z))
		told["rays"].append([x, z, hit["position"].y if hit else null, terrain.height_at(x, z)])
