// AssemblyScript: what the module exports.
export * from './crossPanels';
export * from './dotBlock';
export * from './dots';
export * from './gram';
export * from './histories';
export * from './jsonRows';
export * from './keys';
export * from './leastSquares';
export * from './panels';
export * from './profiles';
export * from './select';
export * from './subtractProduct';
