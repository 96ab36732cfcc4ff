"""The product picture and all stages at once. Imports engine, figure, `views.map`.

`product` the picture · `stage_maps` the large maps of both · `operand_maps` those around a stage · `product_layout`
where they stand · `captions` · `map_labels` their words · `all_stages` a tile a stage.
"""
