// Pictures stand beside the programs that name them.
import { copyFileSync } from "node:fs";

for (const node of ["Spotter", "SpotterTrigger"]) copyFileSync("spotter.svg", `dist/nodes/${node}/spotter.svg`);
