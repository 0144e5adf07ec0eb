/** Style sheets are bundled by esbuild; importing one gives nothing to the script. */
declare module "*.css";
