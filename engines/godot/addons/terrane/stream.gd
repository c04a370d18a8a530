# Keeps the tiles around a place: asks for them, has their meshes made by a thread, shows them and lets them go. GDScript that Godot 3 and 4
# both read; what they name differently is done by `host`, the node of godot3 or godot4.
extends Resource

const Tiles = preload("tiles.gd")
const Meshes = preload("meshes.gd")
const LINES = 6 # requests at a time

var host # has what its own comment lists
var tiles = Tiles.new()
var meshes = Meshes.new()
var world = null # what /world says
var place_x = 0.0 # of the scene's (0, 0), metres of the world, in doubles
var place_y = 0.0
var collide_m = 300.0
var nodes = {} # key to the node of a tile's meshes
var flying = {} # key to line
var _idle = []
var _asking = null
var _pause = 0.0
var _wait = 0.0
var _plan_in = 0.0
var _jobs = []
var _done = []
var _building = 0
var _quit = false
var _mutex = Mutex.new()
var _semaphore = Semaphore.new()


func begin():
	meshes.host = host
	meshes.samples = tiles.samples
	for _k in range(LINES):
		_idle.append(host.new_line())


# Ends the thread: who calls waits for it.
func end():
	_quit = true
	_semaphore.post()


# In the tree again after end(): leaving it cancelled all requests, without a word.
func resume():
	_quit = false
	for key in flying.keys():
		_hang_up(flying[key])
		tiles.failed(key)
	flying.clear()
	if _asking != null:
		_hang_up(_asking)
		_asking = null


# ---- Requests --------------------------------------------------------------------------------------------------------


func _trouble(wrong):
	if _wait <= 0.0: # of requests that fail together the first counts
		_pause = min(max(2.0 * _pause, 1.0), 30.0)
		_wait = _pause
	host.emit_signal("trouble", wrong)


# A line that was hung up may still say that it is done, of a tile that it does not stand for any more: a new one takes its place.
func _hang_up(line):
	host.drop_line(line)
	_idle.append(host.new_line())


func _ask_world():
	_asking = _idle.pop_back()
	var query = "" if host.recipe == "" else "?recipe=" + host.escape(host.recipe)
	if not host.send(_asking, "/world/" + host.escape(host.world_name) + query, ""):
		_hang_up(_asking)
		_asking = null
		_trouble("no request can be made to " + host.url)


func _ask_tile(key):
	var line = _idle.pop_back()
	flying[key] = line
	if not host.send(line, "/tiles", meshes.request(key)):
		flying.erase(key)
		_hang_up(line)
		tiles.failed(key)
		_trouble("no request can be made to " + host.url)


# An answer on a line: `wrong` says why there is none.
func came(line, wrong, body):
	var key = ""
	for each in flying.keys():
		if flying[each] == line:
			key = each
	if key == "" and line != _asking:
		return
	_idle.append(line)
	if key != "":
		flying.erase(key)
		wrong = _take(key, body, wrong)
	else:
		_asking = null
		if wrong == "":
			wrong = _use(host.json(body))
	if wrong == "":
		_pause = 0.0
	else:
		_trouble(wrong)


func _use(told):
	if typeof(told) != TYPE_DICTIONARY or not told.has("generator") or typeof(told.get("levels")) != TYPE_ARRAY or typeof(told.get("spawn")) != TYPE_DICTIONARY:
		return "/world says nothing of use"
	tiles.use_levels(told["levels"])
	meshes.use_world(told, host.escape(host.world_name), host.escape(host.recipe))
	world = told
	place_x = told["spawn"]["x"] if is_inf(host.origin.x) else host.origin.x
	place_y = told["spawn"]["y"] if is_inf(host.origin.y) else host.origin.y
	host.emit_signal("world_known", told)
	return ""


func _take(key, body, wrong):
	var parts = meshes.parse(body) if wrong == "" else null
	if parts == null:
		tiles.failed(key)
		return wrong if wrong != "" else meshes.fault
	var lod = tiles.tiles[key]["lod"]
	_mutex.lock()
	_jobs.append([key, parts, tiles.spacing_m(lod), tiles.skirt_m(lod)])
	_mutex.unlock()
	_building += 1
	_semaphore.post()
	return ""


# The thread.
func work():
	while true:
		_semaphore.wait()
		if _quit:
			return
		work_once()


# One tile's meshes: every frame, where there are no threads.
func work_once():
	_mutex.lock()
	var job = _jobs.pop_front()
	_mutex.unlock()
	if job != null:
		var made = meshes.build(job[1], job[2], job[3])
		_mutex.lock()
		_done.append([job[0], made, job[3]])
		_mutex.unlock()


# ---- Every frame -----------------------------------------------------------------------------------------------------


# With the seconds that passed and where is looked from, of the scene.
func step(passed, eye):
	_wait -= passed
	if world == null:
		if _asking == null and _wait <= 0.0:
			_ask_world()
		return
	_finish(eye)
	_plan_in -= passed
	if _plan_in <= 0.0:
		_plan_in = 0.1
		replan(eye)
	while _wait <= 0.0 and _idle.size() > 0:
		var key = tiles.next()
		if key == "":
			break
		_ask_tile(key)


func replan(eye):
	var x = place_x + eye.x
	var y = place_y + eye.z
	var ground = tiles.height_at(x, y)
	for key in tiles.plan(x, y, max(eye.y - ground, 0.0) if ground != null else 0.0):
		if flying.has(key):
			_hang_up(flying[key])
			flying.erase(key)
		if nodes.has(key):
			nodes[key].queue_free()
			nodes.erase(key)
			host.emit_signal("tile_changed", key)
	_show(eye)


# Takes one tile that the thread has made, if there is one: nodes are made of it here.
func _finish(eye):
	_mutex.lock()
	var done = _done.pop_front()
	_mutex.unlock()
	if done == null:
		return
	_building -= 1
	var key = done[0]
	if not tiles.tiles.has(key) or tiles.tiles[key]["ready"]:
		return
	if done[1] == null:
		tiles.failed(key)
		_trouble("a height that is no number")
		return
	var tile = tiles.tiles[key]
	tile["ready"] = true
	tile["heights"] = done[1]["heights"]
	tile["skirt"] = done[2]
	nodes[key] = host.new_node(done[1], meshes.ground_indices())
	nodes[key].transform.origin = _corner(tile)
	host.emit_signal("tile_changed", key)
	_show(eye)


func _corner(tile):
	var side = tiles.side_m(tile["lod"])
	return Vector3(tile["x"] * side - place_x, 0, tile["y"] * side - place_y)


func _show(eye):
	var shown = {}
	for key in tiles.shown():
		shown[key] = true
	for key in nodes.keys():
		nodes[key].visible = shown.has(key)
		var tile = tiles.tiles[key]
		if tile["lod"] == tiles.finest:
			_collide(nodes[key], tile, eye)


func _collide(node, tile, eye):
	var side = tiles.side_m(tile["lod"])
	var at = _corner(tile)
	var near = max(max(at.x - eye.x, eye.x - at.x - side), max(at.z - eye.z, eye.z - at.z - side)) < collide_m
	var body = node.get_node_or_null("body")
	if near and body == null:
		body = host.new_body(tile["heights"], side, tiles.spacing_m(tile["lod"]))
		body.name = "body"
		node.add_child(body)
	elif not near and body != null:
		node.remove_child(body)
		body.queue_free()


# ---- For others ------------------------------------------------------------------------------------------------------


func is_whole():
	return world != null and _building == 0 and tiles.is_whole()


func move_origin(east, south):
	place_x += east
	place_y += south
	for key in nodes.keys():
		nodes[key].transform.origin = _corner(tiles.tiles[key])
