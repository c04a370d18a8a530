-- Which nodes a material of the world is made of: the topmost, the three below it, and the topmost under water. Of each list the
-- first that the game has; a material that is not here is made as the one of the nearest colour.
local STONE = {"mapgen_stone"}
local DIRT = {"default:dirt", "mapgen_dirt", "mapgen_stone"}
local GRASS = {"default:dirt_with_grass", "mapgen_dirt_with_grass", "mapgen_dirt", "mapgen_stone"}
local SAND = {"default:sand", "mapgen_sand", "mapgen_stone"}
local GRAVEL = {"default:gravel", "mapgen_gravel", "mapgen_stone"}
local RED = {"default:desert_stone", "mapgen_desert_stone", "mapgen_stone"}

local function first(name, list)
	return {name, unpack(list)}
end

local ROWS = {
	{"snow", 0xd9e1e8, {"default:snowblock", "mapgen_snowblock", "mapgen_stone"}, STONE},
	{"rock", 0x85807a, STONE, STONE},
	{"scree", 0xa39c91, GRAVEL, STONE},
	{"gravel", 0x989288, GRAVEL, GRAVEL},
	{"tundra", 0xa29c80, first("default:permafrost_with_moss", GRASS), first("default:permafrost", DIRT), GRAVEL},
	{"wetland", 0x6c8b5a, GRASS, DIRT, {"default:clay", "mapgen_dirt", "mapgen_stone"}},
	{"rainforest", 0x2c6a38, first("default:dirt_with_rainforest_litter", GRASS), DIRT, DIRT},
	{"jungle", 0x41713f, first("default:dirt_with_rainforest_litter", GRASS), DIRT, DIRT},
	{"forest", 0x4d7a42, first("default:dirt_with_coniferous_litter", GRASS), DIRT, DIRT},
	{"grass", 0xa9b069, GRASS, DIRT, DIRT},
	{"meadow", 0xa3c069, GRASS, DIRT, DIRT},
	{"corn", 0xd3bf7c, first("default:dirt_with_dry_grass", GRASS), DIRT, DIRT},
	{"steppe", 0xaea878, first("default:dirt_with_dry_grass", GRASS), DIRT, DIRT},
	{"heath", 0x938f66, first("default:dirt_with_dry_grass", GRASS), DIRT, DIRT},
	{"scrub", 0x8f8f5e, first("default:dry_dirt_with_dry_grass", GRASS), first("default:dry_dirt", DIRT), SAND},
	{"sand", 0xdcc28c, SAND, SAND},
	{"reef", 0xd9c7a0, SAND, SAND},
	{"sea bed", 0x7f9a94, first("default:clay", SAND), SAND},
	{"silt", 0x8d937c, first("default:clay", DIRT), DIRT},
	{"mud", 0xc09a80, first("default:dry_dirt", DIRT), DIRT},
	{"salt", 0xf1ebdd, first("default:silver_sand", SAND), SAND},
	{"red beds", 0xa5563c, RED, RED},
	{"rust beds", 0xb36b4b, first("default:desert_sandstone", RED), RED},
	{"pale beds", 0xc99a72, first("default:sandstone", RED), STONE},
}

local function distance(a, b)
	local sum = 0
	for shift = 0, 2 do
		local d = math.floor(a / 256 ^ shift) % 256 - math.floor(b / 256 ^ shift) % 256
		sum = sum + d * d
	end
	return sum
end

local function row_of(material)
	local colour = tonumber((tostring(material.colour or ""):gsub("^#", "")), 16) or 0x85807a
	local best, nearest
	for _, row in ipairs(ROWS) do
		local d = row[1] == material.name and -1 or distance(row[2], colour)
		if not best or d < nearest then
			best, nearest = row, d
		end
	end
	return best
end

local function id(list)
	for _, name in ipairs(list) do
		name = minetest.registered_aliases[name] or name
		if minetest.registered_nodes[name] then
			return minetest.get_content_id(name)
		end
	end
	error("terrane: this game has none of " .. table.concat(list, ", "))
end

return function(world, settings)
	local materials = {}
	local chosen = {}
	for each in settings.nodes:gmatch("[^,]+") do
		local material, node = each:match("^%s*(.-)%s*=%s*(%S+)%s*$")
		if not material then
			error("terrane_nodes: \"" .. each .. "\" is not MATERIAL=NODE")
		end
		chosen[material] = id({node}) and {node}
	end

	materials.stone, materials.water = id(STONE), id({"mapgen_water_source"})
	materials.river = id({"mapgen_river_water_source", "mapgen_water_source"})

	-- top[m], below[m], wet[m] of material m, from 1; of a world without any, of stone.
	function materials.learn()
		materials.top, materials.below, materials.wet = {}, {}, {}
		for m, material in ipairs(#world.cover > 0 and world.cover or {{name = "rock"}}) do
			local row = row_of(material)
			local own = chosen[material.name]
			materials.top[m] = id(own or row[3])
			materials.below[m] = id(own or row[4])
			materials.wet[m] = id(own or row[5] or row[3])
		end
	end

	return materials
end
