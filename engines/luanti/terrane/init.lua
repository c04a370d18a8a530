-- A map whose ground is a terrane server's. README.md says how to set it up.
local http = minetest.request_http_api and minetest.request_http_api()
if not http then
	error("terrane: put the mod into secure.http_mods (minetest.conf): it fetches its ground from a server")
end

local path = minetest.get_modpath("terrane")
local settings = dofile(path .. "/settings.lua")
local line = dofile(path .. "/line.lua")(http, settings)
local world = dofile(path .. "/world.lua")(line, settings)
local tiles = dofile(path .. "/tiles.lua")(line, world, settings)
local later = dofile(path .. "/later.lua")(tiles)
local materials, ground, spawn, chunk

minetest.set_mapgen_setting("mg_name", "singlenode", true)
minetest.set_mapgen_setting("water_level", "0", true)

terrane = {}

-- Nodes are known once all mods are loaded.
minetest.register_on_mods_loaded(function()
	materials = dofile(path .. "/materials.lua")(world, settings)
	ground = dofile(path .. "/ground.lua")(world, tiles, materials)
	spawn = dofile(path .. "/spawn.lua")(world, tiles, ground)
	chunk = dofile(path .. "/chunk.lua")(line, world, tiles, ground, materials, later, settings)
	world.listeners[1] = materials.learn
	world.poll()
end)

minetest.register_on_generated(function(minp, maxp)
	line.poll()
	chunk.generate(minp, maxp)
end)

-- Tiles around where players are and where they will be in three seconds, the nearest first.
local function ahead()
	local wanted = {}
	for _, player in ipairs(minetest.get_connected_players()) do
		local p = vector.add(player:get_pos(), vector.multiply(player:get_velocity(), 3))
		local x, z, r = math.floor(p.x), math.floor(p.z), settings.ahead
		local sx, sy = world.known.x + x, world.known.y - z
		for _, place in ipairs(tiles.under(x - r, x + r, z - r, z + r)) do
			place.distance = math.max(math.abs(256 * place.x + 128 - sx), math.abs(256 * place.y + 128 - sy))
			wanted[#wanted + 1] = place
		end
	end
	table.sort(wanted, function(a, b) return a.distance < b.distance end)
	tiles.ahead(wanted)
end

local since_s = 0
minetest.register_globalstep(function(passed_s)
	line.poll()
	world.poll()
	since_s = since_s + passed_s
	if since_s >= 0.25 and world.known then
		since_s = 0
		later.step()
		spawn.step()
		ahead()
	end
end)

if (minetest.settings:get("static_spawnpoint") or "") == "" then
	minetest.register_on_newplayer(function(player) spawn.begin(player) end)
	minetest.register_on_respawnplayer(function(player)
		local beds = rawget(_G, "beds") -- all that are registered are called, and the last place counts
		if beds and beds.spawn and beds.spawn[player:get_player_name()] and minetest.settings:get_bool("enable_bed_respawn", true) then
			return
		end
		spawn.begin(player)
		return true
	end)
end

minetest.register_on_joinplayer(function(player)
	if line.fault then
		minetest.chat_send_player(player:get_player_name(), line.message())
	end
end)

-- For other mods: the topmost node of the ground, and of water over it, at x, z; nil where that is not here (yet).
function terrane.height(x, z)
	x, z = math.floor(x + 0.5), math.floor(z + 0.5)
	local columns = world.known and ground.read(x, x, z, z)
	if columns then
		return columns.top[1], columns.wet[1]
	end
end

-- For other mods: the place of the world (metres; y grows south) at x, z of the map; nil until the server answered once.
function terrane.place(x, z)
	local known = world.known
	if known then
		local side = world.spacing_m * 2 ^ known.lod
		return (known.x + x) * side, (known.y - z) * side
	end
end

-- For other mods: how many chunks wait for their ground, and what is wrong with the server.
function terrane.state()
	return {known = world.known, spawn = spawn.place(), waiting = later.count(), fault = line.fault, made = chunk.made}
end

minetest.register_chatcommand("terrane", {
	description = "Where you are in the world of the terrane server, and what that server does",
	func = function(name)
		local player = minetest.get_player_by_name(name)
		local state = terrane.state()
		if not state.known or not player then
			return false, state.fault or "The server has not answered yet"
		end
		local p = player:get_pos()
		local x, y = terrane.place(math.floor(p.x + 0.5), math.floor(p.z + 0.5))
		local text = ("Seed %s, level %d, x %.0f m, y %.0f m, %d chunks wait"):format(state.known.seed, state.known.lod, x, y, state.waiting)
		return true, text .. (state.fault and ": " .. state.fault or "")
	end,
})
